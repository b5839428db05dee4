internal import IPCDBus
internal import IPCModel

/// The desktop application that opens an unclaimed URL.
final class DesktopHandler: Sendable {
    /// The desktop file ID (Desktop Entry Specification), including `.desktop`.
    let entry: String
    /// The bus name to which URLs are sent (“D-Bus Activation”); `nil` if the application is started with the URL.
    let service: ApplicationID?

    init(entry: String, service: ApplicationID?) { (self.entry, self.service) = (entry, service) }

    /// The handler of a request from an earlier broker; `nil` if the request is for a registered handler.
    convenience init?(_ kept: KeptContext) {
        guard let entry = kept.desktopEntry else { return nil }
        self.init(entry: entry, service: kept.desktopService.flatMap { try? ApplicationID($0) })
    }

    /// The application id that stands for this handler.
    var application: ApplicationID { ApplicationID(desktopEntry: entry) }
}

extension KeptContext {
    /// Returns this context, which then also names the desktop application that gets the request.
    func naming(_ handler: DesktopHandler?) -> KeptContext {
        guard let handler else { return self }
        var context = self
        (context.desktopEntry, context.desktopService) = (handler.entry, handler.service?.text)
        return context
    }
}

extension SchemesService {
    /// Finds the desktop application for a URL and updates the resolution; `nil` if the URL is claimed or no desktop
    /// application opens it. A sandboxed caller always gets `nil`, because the broker must not be a way around the
    /// portal (`org.freedesktop.portal.OpenURI`), where the user can refuse.
    func desktopHandler(
        of url: URLText, _ resolution: inout Resolution, for caller: Caller
    ) async throws -> DesktopHandler? {
        guard resolution.application == nil, let desktop, caller.visibility.isWhole,
            let handler = try await desktop.handler(of: url, for: caller.name)
        else { return nil }
        resolution = resolution.given(
            toDesktop: handler.application, running: handler.service.map(clients.isRunning) ?? false)
        return handler
    }

    /// Finds the desktop application for a request. Throws if there is one but the request is queued or has a payload.
    func desktopHandler(
        of request: ValidatedRequest, _ resolution: inout Resolution, for caller: Caller
    ) async throws -> DesktopHandler? {
        guard request.mayGoToDesktop || request.isQueued && request.application == nil,
            let handler = try await desktopHandler(of: request.url, &resolution, for: caller)
        else { return nil }
        guard !request.isQueued else {
            throw IPCError(
                .noHandler,
                "no application has registered \(resolution.scheme.spelling.quoted), and the desktop's handler "
                    + "\(handler.entry) accepts no queued requests; " + Advice.leaveOutQueue.rawValue)
        }
        guard !request.hasPayload else {
            throw IPCError(
                .payloadInvalid,
                "no application has registered \(resolution.scheme.spelling.quoted), and the desktop's handler "
                    + "\(handler.entry) accepts only URLs without content; nothing was sent")
        }
        return handler
    }
}
