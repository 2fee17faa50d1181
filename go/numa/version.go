package numa

import (
	"runtime/debug"
	"strings"
)

// VersionOf returns the version of a module that is built into this program, without the "v"; a replacement tells its
// own. It is empty for what is not built in. For a shim around a library: Identity{Version: numa.VersionOf("k8s.io/utils")}.
func VersionOf(module string) string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, one := range info.Deps {
		if one.Path == module {
			if one.Replace != nil {
				one = one.Replace
			}
			return strings.TrimPrefix(one.Version, "v")
		}
	}
	return ""
}
