package vectors

func amdDeviations() []Deviation { return nil }
