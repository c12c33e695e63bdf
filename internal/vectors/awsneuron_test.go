package vectors

func awsneuronDeviations() []Deviation { return nil }
