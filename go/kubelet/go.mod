// Which module is built depends on the minor of Kubernetes: see minors/ and README.md.
module github.com/numa-conformance/numa-conformance/go/kubelet

go 1.20
