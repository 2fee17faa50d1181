//go:build !k8s1.34

package main

// laterHandlers are those that came later.
func laterHandlers() []any { return nil }
