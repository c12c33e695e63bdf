package vectors

func birenDeviations() []Deviation { return nil }
