package vectors

func enflameDeviations() []Deviation { return nil }
