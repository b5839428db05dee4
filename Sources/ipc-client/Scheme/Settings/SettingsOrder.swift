import IPC
import IPCModel

/// Which claims to make anew, so that the claims to a scheme have the order of the file.
///
/// Without a choice, the oldest of several claims gets the URLs. So a claim that exists is made anew if a claim before it
/// in the file is younger. The age of a chosen application does not count, and no program can see it.
struct SettingsOrder {
    let current: SchemeSettings
    let wanted: SchemeSettings
    /// The schemes whose choices go if they are not in the file.
    let given: Set<URLScheme>

    /// The applications whose claims to a scheme are to be made anew.
    func renewed(_ scheme: URLScheme) -> Set<ApplicationID> {
        let choice = current.choices[scheme]
        let nextChoice = wanted.choices[scheme] ?? (given.contains(scheme) ? nil : choice)
        let all = current.applications(claiming: scheme)
        let byAge = all.filter { $0 != choice }
        var renewed: Set<ApplicationID> = []
        var (last, isAtEnd) = (-1, false)
        for (index, id) in wanted.applications(claiming: scheme).filter({ $0 != nextChoice }).enumerated() {
            let place = byAge.firstIndex(of: id)
            if !isAtEnd, let place, place > last {
                last = place
                continue
            }
            // A new claim becomes the youngest one, and so must all that follow it. The first one may have any age.
            isAtEnd = true
            if index > 0 && all.contains(id) { renewed.insert(id) }
        }
        return renewed
    }
}

extension SchemeSettings {
    fileprivate func applications(claiming scheme: URLScheme) -> [ApplicationID] {
        claims.filter { $0.scheme == scheme }.map(\.stored.application)
    }
}
