import Glibc
import IPC
import Programs
import Questions
import SceneManager

@main @MainActor
struct QABrowser {
    /// Browses questions: a list of twenty rows, and a page for each question.
    static func main() async {
        let list: SharedList
        do { list = SharedList(try QuestionLibrary.bundled()) } catch {
            Program.tell("\(error)")
            exit(EX_DATAERR)
        }
        let root = SceneAddress("search")
        await SceneProgram(id: "demo.QABrowser", scheme: "qa", root: root, order: order) { address in
            switch address.name {
            case "search": try SearchScene(address, list)
            case "question": try QuestionScene(address, list)
            default: throw SceneRefusal("there is no screen “\(address.name)”", code: "no-such-screen")
            }
        }.run()
    }

    /// Every screen has a URL: `qa://search?q=…&from=20`, `qa://question/ID?view=narrow`. There are also `qa://back`,
    /// `qa://home`, and the orders that every program with scenes accepts.
    private nonisolated static func order(_ address: SceneAddress) throws -> SceneOrder {
        switch address.name {
        case "search", "question": .stack(.show(address))
        case "back": .stack(.pop)
        case "home": .stack(.popToRoot)
        default: try SceneOrder(address)
        }
    }
}
