module my-allocator

go 1.20

require github.com/numa-conformance/numa-conformance/go v0.0.0

// The SDK came with numa-conformance, and lies beside this file.
replace github.com/numa-conformance/numa-conformance/go => ./numaconformance
