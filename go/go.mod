module github.com/numa-conformance/numa-conformance/go

go 1.20
