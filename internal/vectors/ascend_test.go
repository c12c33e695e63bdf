package vectors

func ascendDeviations() []Deviation { return nil }
