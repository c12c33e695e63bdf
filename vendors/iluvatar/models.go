package iluvatar

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor: the chips of HAMi's configuration (spec iluvatar §2). A BI-V150 is registered as two devices of half its 64 GB;
// memory is otherwise that of Iluvatar CoreX' data sheets, ten tasks a card are as in spec iluvatar §16.
func Models() []device.Model {
	return []device.Model{
		{Vendor: "BI-V100", Name: "BI-V100", Slots: 10, Memory: 32768, Cores: 100},
		{Vendor: "BI-V150", Name: "BI-V150", Slots: 10, Memory: 32768, Cores: 100},
		{Vendor: "MR-V100", Name: "MR-V100", Slots: 10, Memory: 32768, Cores: 100},
		{Vendor: "MR-V50", Name: "MR-V50", Slots: 10, Memory: 16384, Cores: 100},
	}
}
