internal import Glibc
internal import IPCDBus
internal import IPCModel
internal import IPCStore

extension HandlerDelivery {
    /// Why a handler is not started now, although the bus could; nil where it would be.
    func refusal(at now: UInt64) -> String? {
        let next = policy.nextStart(at: now)
        guard next > policy.nextUse(at: now) else {
            // A short pause is waited for.
            guard next > now + 1_000 else { return nil }
            return
                "\(application) failed \(policy.failureCount) times in a row, and is left alone for a while; last: "
                + "\(policy.reason); it is tried again "
                + "in \(Self.seconds(next - now))"
        }
        let most = surroundings.limits.activationStarts
        let period = Double(surroundings.limits.activationPeriodMilliseconds) / 1_000
        let last = policy.reason.isEmpty ? "" : "; last: \(policy.reason)"
        return "\(application) was started \(most) times within \(period) s\(last); it can be started again in "
            + Self.seconds(next - now)
    }

    /// Whole seconds, for people.
    private static func seconds(_ milliseconds: UInt64) -> String { "\((milliseconds + 999) / 1_000) s" }

    /// Has the bus start the handler: one start at a time, not too often.
    ///
    /// The start is asked for by itself and the request then sent to the unique name, because a call that starts its
    /// receiver would be delivered by the bus even after we have reported that the start failed.
    func start() {
        guard !isStarting else { return }
        let now = SystemClock.uptimeMilliseconds()
        let next = policy.nextStart(at: now)
        guard next <= now else {
            if let refusal = refusal(at: now) { endWaiting(name: nil, because: refusal) }
            if queue.first != nil { deliver(inMilliseconds: next - now) }
            return
        }
        (isStarting, asksAgain) = (true, false)
        DBusActor.task {
            guard await self.surroundings.isActivatable(self.application) else { return self.isNotActivatable() }
            self.policy.started(at: SystemClock.uptimeMilliseconds())
            if let first = self.queue.first { self.requests[first]?.note(.starting) }
            let sent = self.flights
            let failure = await self.surroundings.start(self.application)
            // Before what follows, which may start it again.
            self.isStarting = false
            // A handler that was sent something was there. If it has left by now, its end is handled as that of any handler.
            guard let failure, self.flights == sent else { return self.deliver() }
            self.failedToStart(failure)
        }
    }

    /// What is queued waits until the handler comes by itself.
    private func isNotActivatable() {
        // It may have come, or be startable by now, while the bus was asked.
        guard !surroundings.clients.isRunning(application), !asksAgain else {
            isStarting = false
            return deliver()
        }
        endWaiting(
            name: ErrorName.serviceUnknown.text,
            because: "\(application) is not running, and the bus has no service file to start it")
        isStarting = false
    }

    private func failedToStart(_ failure: StartFailure) {
        let now = SystemClock.uptimeMilliseconds()
        policy.failed(at: now, because: failure.message)
        if let first = queue.first { requests[first]?.note(.startFailed, detail: failure.message) }
        endWaiting(name: failure.errorName, because: failure.message)
        // What is queued waits for the next try, or for the handler to come by itself.
        guard queue.first != nil else { return }
        deliver(inMilliseconds: policy.nextStart(at: now) - now)
    }

    /// Tells everybody who waits for the handler that it cannot be started.
    private func endWaiting(name: String?, because reason: String) {
        guard waitingSenders > 0 else { return }
        let waiting = requests.values.filter { !$0.isQueued && $0.life.isUnsent }.sorted { $0.number < $1.number }
        atOnce {
            for request in waiting {
                let returned = request.life.handBacks > 0 ? "\(application) gave the request back unseen; then " : ""
                handle(
                    .undeliverable(RequestEnd(.unavailable, name: name ?? "", because: returned + reason)), of: request)
            }
        }
    }
}

/// Why a handler could not be started.
struct StartFailure {
    let errorName: String?
    let message: String
}

extension DeliverySurroundings {
    /// Whether the bus can start an application; asked each time, because older buses do not tell of changes.
    func isActivatable(_ application: ApplicationID) async -> Bool {
        await clients.activatable().contains(application.text)
    }

    /// Has the bus start an application; nil where it is there afterwards.
    func start(_ application: ApplicationID) async -> StartFailure? {
        let time = Duration.milliseconds(Int(clamping: limits.activationMilliseconds))
        do {
            let name = try BusName(application.text)
            try await connection.startService(name, timeout: time)
            if try await clients.refreshedOwner(of: application) != nil { return nil }
            return failure("\(application) was started and ended at once")
        } catch CallError.timedOut {
            return failure(
                "\(application) was started and has not taken its bus name, as who receives URLs has to; for up to 2 "
                    + "minutes the bus waits for it, and starts it no other time")
        } catch CallError.remote(let name, let message) {
            return failure("\(application) cannot be started: \(message)", name)
        } catch {
            return failure("\(application) cannot be started: \(error)")
        }
    }

    private func failure(_ message: String, _ name: String? = nil) -> StartFailure {
        StartFailure(errorName: name, message: message + displayHint)
    }

    /// Whether there is a display that could be meant: where X servers and compositors have their sockets.
    private static var isOnDesktop: Bool {
        if access("/tmp/.X11-unix/X0", F_OK) == 0 { return true }
        return getenv("XDG_RUNTIME_DIR").map { access(String(cString: $0) + "/wayland-0", F_OK) == 0 } ?? false
    }

    /// What the bus starts gets the environment that this broker has, if the bus started it too.
    private var displayHint: String {
        guard getenv("DBUS_STARTER_ADDRESS") != nil, getenv("DISPLAY") == nil, getenv("WAYLAND_DISPLAY") == nil,
            Self.isOnDesktop
        else { return "" }
        return
            " (what the bus starts has no DISPLAY here; 'dbus-update-activation-environment DISPLAY WAYLAND_DISPLAY' gives "
            + "it one)"
    }
}
