internal import IPCDBus
internal import IPCModel

/// The program of the desktop that opens a URL for which nobody has a claim.
final class DesktopHandler: Sendable {
    /// Its desktop file ID (Desktop Entry Specification), with `.desktop`.
    let entry: String
    /// The bus name by which it takes URLs (“D-Bus Activation”); nil for one that is started with the URL.
    let service: ApplicationID?

    init(entry: String, service: ApplicationID?) { (self.entry, self.service) = (entry, service) }

    /// Of a request that an earlier broker has left; nil where it was for a handler of the registry.
    convenience init?(_ kept: KeptContext) {
        guard let entry = kept.desktopEntry else { return nil }
        self.init(entry: entry, service: kept.desktopService.flatMap { try? ApplicationID($0) })
    }

    /// What stands for it where an application id is needed.
    var application: ApplicationID { ApplicationID(desktopEntry: entry) }
}

extension KeptContext {
    /// The same with the program of the desktop to which the request goes.
    func naming(_ handler: DesktopHandler?) -> KeptContext {
        guard let handler else { return self }
        var context = self
        (context.desktopEntry, context.desktopService) = (handler.entry, handler.service?.text)
        return context
    }
}

extension SchemesService {
    /// The desktop's handler of a URL that nobody claims; nil where somebody does, or the desktop has none.
    ///
    /// A caller in a sandbox has the portal (`org.freedesktop.portal.OpenURI`) for this, where the user can say no: the
    /// broker would be a way around it.
    func desktopHandler(
        of url: URLText, _ resolution: Resolution, for caller: BusName?
    ) async throws -> DesktopHandler? {
        guard resolution.application == nil, let desktop, await clients.visibility(of: caller).isWhole else {
            return nil
        }
        return try await desktop.handler(of: url, for: caller)
    }

    /// The same for a request, which may neither have a payload nor be queued: programs of the desktop take URLs alone, at
    /// once.
    func desktopHandler(
        of request: ValidatedRequest, _ resolution: Resolution, for caller: BusName?
    ) async throws -> DesktopHandler? {
        guard request.mayGoToDesktop || request.isQueued && request.application == nil,
            let handler = try await desktopHandler(of: request.url, resolution, for: caller)
        else { return nil }
        guard !request.isQueued else {
            throw IPCError(
                .noHandler,
                "nobody has registered the scheme \(resolution.scheme.spelling.quoted), and for the desktop's handler "
                    + "\(handler.entry) nothing can be queued; " + Advice.leaveOutQueue.rawValue)
        }
        guard !request.hasPayload else {
            throw IPCError(
                .payloadInvalid,
                "nobody has registered the scheme \(resolution.scheme.spelling.quoted), and the desktop's handler "
                    + "\(handler.entry) takes URLs alone; nothing was sent")
        }
        return handler
    }

    /// The resolution of a URL that the desktop's handler gets.
    func resolution(_ resolution: Resolution, given handler: DesktopHandler) -> Resolution {
        resolution.given(toDesktop: handler.application, running: handler.service.map(clients.isRunning) ?? false)
    }
}
