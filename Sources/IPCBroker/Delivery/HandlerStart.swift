internal import Glibc
internal import IPCDBus
internal import IPCModel

extension HandlerDelivery {
    /// Starts the handler through the bus. Requests are sent to its unique name once it is running. A request sent to
    /// its well-known name would also make the bus start it, but might be delivered after the broker has reported that
    /// the start failed.
    func start() {
        DBusActor.task {
            let end = await self.tryToStart()
            // Without its bus, the broker exits, and the next broker starts the handler (I24).
            guard self.context.connection.isConnected else { return }
            self.reportHandler()
            self.handle(end)
        }
    }

    private func tryToStart() async -> HandlerQueue.Event {
        guard await context.clients.activatable().contains(application.text) else {
            // After a restart, a sender may repeat its call before the handler has returned (I24).
            await context.returning.end(of: application)
            let reason = "\(application) is not running, and the bus has no service file to start it"
            return .startImpossible(
                HandlerQueue.StartFailure(errorName: ErrorName.serviceUnknown.text, message: reason))
        }
        handle(.starting)
        return .startEnded(await context.start(application))
    }

    func askForOwner() {
        DBusActor.task {
            _ = try? await self.context.clients.owner(of: self.application)
            self.reportHandler()
            // If the query fails, the queue waits for the next owner change that the bus reports.
            let isKnown = self.context.clients.knownOwner(of: self.application) != nil
            if !isKnown, self.context.clients.isRunning(self.application) { self.report(.ownerUnknown) }
            self.proceed()
        }
    }

    /// Ends a request whose sender is waiting, because the handler cannot be started.
    func refuse(_ request: PendingRequest, _ failure: HandlerQueue.StartFailure) {
        let returned = request.life.handBacks > 0 ? "\(application) returned the request unread; then " : ""
        handle(
            .undeliverable(
                RequestEnd(.unavailable, name: failure.errorName, because: returned + failure.message)), of: request)
    }
}

extension DeliveryContext {
    /// Starts an application through the bus. Returns why the start failed; `nil` if the application is running.
    func start(_ application: ApplicationID) async -> HandlerQueue.StartFailure? {
        let time = Duration.milliseconds(Int(clamping: limits.activationMilliseconds))
        do {
            let name = try BusName(application.text)
            try await connection.startService(name, timeout: time)
            if try await clients.refreshedOwner(of: application) != nil { return nil }
            return failure("\(application) was started, but exited at once")
        } catch CallError.timedOut {
            return failure(
                "\(application) was started, but has not taken its bus name, as a URL handler must; the bus waits up to "
                    + "2 minutes for the name, and does not start the program again until then")
        } catch CallError.remote(let name, let message) {
            return failure("\(application) cannot be started: \(message)", name)
        } catch {
            return failure("\(application) cannot be started: \(error)")
        }
    }

    private func failure(_ message: String, _ name: String = "") -> HandlerQueue.StartFailure {
        HandlerQueue.StartFailure(errorName: name, message: message + displayHint)
    }

    /// Whether an X server or a compositor has its socket in the usual place.
    private static var isOnDesktop: Bool {
        if access("/tmp/.X11-unix/X0", F_OK) == 0 { return true }
        return getenv("XDG_RUNTIME_DIR").map { access(String(cString: $0) + "/wayland-0", F_OK) == 0 } ?? false
    }

    /// A hint that programs started by the bus lack `DISPLAY`, as this broker does; empty if it does not apply.
    private var displayHint: String {
        guard getenv("DBUS_STARTER_ADDRESS") != nil, getenv("DISPLAY") == nil, getenv("WAYLAND_DISPLAY") == nil,
            Self.isOnDesktop
        else { return "" }
        return
            " (programs that the bus starts have no DISPLAY here; 'dbus-update-activation-environment DISPLAY "
            + "WAYLAND_DISPLAY' sets it)"
    }
}
