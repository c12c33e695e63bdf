package vendors

import (
	"cmp"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/amd"
	"github.com/accelfit/accelfit/vendors/ascend"
	"github.com/accelfit/accelfit/vendors/awsneuron"
	"github.com/accelfit/accelfit/vendors/biren"
	"github.com/accelfit/accelfit/vendors/cambricon"
	"github.com/accelfit/accelfit/vendors/enflame"
	"github.com/accelfit/accelfit/vendors/hygon"
	"github.com/accelfit/accelfit/vendors/iluvatar"
	"github.com/accelfit/accelfit/vendors/kunlun"
	"github.com/accelfit/accelfit/vendors/metax"
	"github.com/accelfit/accelfit/vendors/mthreads"
	"github.com/accelfit/accelfit/vendors/nvidia"
	"github.com/accelfit/accelfit/vendors/vastai"
)

// Models lists the device models that the vendors' packages know, ascending by vendor word, then name. The slice is the
// caller's.
func Models() []device.Model {
	all := slices.Concat(
		amd.Models(), ascend.Models(), awsneuron.Models(), biren.Models(), cambricon.Models(), enflame.Models(), hygon.Models(),
		iluvatar.Models(), kunlun.Models(), metax.Models(), mthreads.Models(), nvidia.Models(), vastai.Models(),
	)
	slices.SortStableFunc(all, func(a, b device.Model) int {
		return cmp.Or(cmp.Compare(a.Vendor, b.Vendor), cmp.Compare(a.Name, b.Name))
	})
	return all
}
