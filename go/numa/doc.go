// Package numa lets an allocator written in Go be asked by numa-conformance.
//
// A target is any value with the methods of one or more surfaces: the interfaces PickTarget, NodeTarget and so on say
// which these are. Serve answers the suite on standard input and output, and claims what the target has methods for:
//
//	func main() { numa.Serve(&myAllocator{}) }
//
// What no method shows, such as the options of the static policy that it knows, the target says in Describe. It is then
// asked with
//
//	pytest --numa-conformance --numa-target-command ./my-allocator
//
// A set of CPUs is a text ("0-3,8": ParseCPUs, FormatCPUs), NUMA nodes are numbers, nil being any. A core's number counts
// within NUMA node and socket; Machine.CoreIDs has ids that are unique on the machine. Pods and configurations are the
// JSON that users write, without defaults: ReadPod adds them, and says what the class of a pod is and how many CPUs each
// container is to have for itself. Hints that are nil say that
// there is no opinion, empty ones that it is impossible: MapHints and MapProviders keep the difference.
//
// A refusal is an answer, not an error: Rejected, PickRefused, StartFailed. An error says that the target could not
// answer at all; so does a panic, whose stack goes to standard error.
package numa
