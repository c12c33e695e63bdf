package vectors

func vastaiDeviations() []Deviation { return nil }
