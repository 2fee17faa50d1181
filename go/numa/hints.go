package numa

// MapHints makes of a provider's hints those of another type, resource by resource. What differs stays different: no map
// at all (the provider has no opinion), a resource whose hints are nil (no opinion on it), and one whose hints are empty
// (it fits nowhere).
func MapHints[From, To any](hints map[string][]From, of func(From) To) map[string][]To {
	if hints == nil {
		return nil
	}
	mapped := map[string][]To{}
	for resource, list := range hints {
		var made []To
		if list != nil {
			made = make([]To, 0, len(list))
		}
		for _, one := range list {
			made = append(made, of(one))
		}
		mapped[resource] = made
	}
	return mapped
}

// MapProviders makes of the hints of every provider those of another type, as MapHints does.
func MapProviders[From, To any](providers []map[string][]From, of func(From) To) []map[string][]To {
	mapped := make([]map[string][]To, 0, len(providers))
	for _, hints := range providers {
		mapped = append(mapped, MapHints(hints, of))
	}
	return mapped
}

// Hint returns the affinity that is asked for; where there is none, the hint of a provider without opinion.
func (asked Pick) Hint() HintValue {
	if asked.Affinity == nil {
		return HintValue{Preferred: true}
	}
	return *asked.Affinity
}
