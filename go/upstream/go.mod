module github.com/numa-conformance/numa-conformance/go/upstream

go 1.20
