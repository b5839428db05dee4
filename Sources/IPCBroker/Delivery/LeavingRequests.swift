internal import IPCDBus
internal import IPCModel

/// Requests whose turn has come and that are made ready to be sent: none is sent before one of its line that came before
/// it, and a line that waits for the disk holds no other line up.
@DBusActor
struct LeavingRequests {
    private var lines: [DeliveryLine: [PendingRequest]] = [:]

    var isEmpty: Bool { lines.isEmpty }

    mutating func append(_ request: PendingRequest) { lines[request.line, default: []].append(request) }

    /// Takes the first request of a line that is ready to leave.
    mutating func takeReady() -> PendingRequest? {
        for (line, requests) in lines where requests.first?.life.isReadyToLeave == true {
            let request = requests[0]
            lines[line] = requests.count == 1 ? nil : Array(requests.dropFirst())
            return request
        }
        return nil
    }

    mutating func remove(_ request: PendingRequest) {
        guard !lines.isEmpty, var requests = lines[request.line] else { return }
        requests.removeAll { $0 === request }
        lines[request.line] = requests.isEmpty ? nil : requests
    }

    /// Takes all requests that match, in the order in which they came to each line.
    mutating func take(where matches: (PendingRequest) -> Bool) -> [PendingRequest] {
        let all = lines.values.flatMap { $0 }.filter(matches)
        for request in all { remove(request) }
        return all
    }
}

/// Requests that were not answered in time, by flight: their handler may answer them still, and until then they are in its
/// memory, or that of the bus.
struct UnansweredRequests {
    /// How many there are of one connection, and how large.
    struct Load {
        var requests: UInt64 = 0
        var bytes: UInt64 = 0
    }

    private var flights: [UInt64: (owner: BusName, bytes: UInt64)] = [:]
    private var loads: [BusName: Load] = [:]

    var isEmpty: Bool { flights.isEmpty }

    func load(of owner: BusName) -> Load { loads[owner] ?? Load() }

    mutating func add(_ flight: UInt64, bytes: UInt64, owner: BusName) {
        flights[flight] = (owner, bytes)
        loads[owner, default: Load()].requests += 1
        loads[owner, default: Load()].bytes += bytes
    }

    /// Takes out what was answered after all; false where it is not here.
    mutating func remove(_ flight: UInt64) -> Bool {
        guard let (owner, bytes) = flights.removeValue(forKey: flight), var load = loads[owner] else { return false }
        load.requests -= 1
        load.bytes -= bytes
        loads[owner] = load.requests == 0 ? nil : load
        return true
    }

    /// Forgets those of a connection that has left; whether there were any.
    mutating func forget(_ owner: BusName) -> Bool {
        guard loads.removeValue(forKey: owner) != nil else { return false }
        flights = flights.filter { $0.value.owner != owner }
        return true
    }
}
