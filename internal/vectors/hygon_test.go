package vectors

func hygonDeviations() []Deviation { return nil }
