package device

import "strconv"

// DecodeEntries reads a registration in a vendor's own JSON form: an array of objects, each of which is read as a W and made a
// device; a [*DecodeError] of that needs no Item. Keys match whatever their letter case. What else counts as a bad entry, and
// what becomes of it, is as in [DecodeRegistration]. Entries are numbered by their place in the array.
func DecodeEntries[W any](
	text string, bad BadEntries, device func(i int, w *W) (DeviceInfo, error),
) (devices []DeviceInfo, dropped []error, err error) {
	entries, err := decodeArray(text)
	if err != nil {
		return nil, nil, err
	}
	return collect(bad, len(entries), func(i int) (DeviceInfo, error) {
		var w W
		if err := decodeEntry(entries[i], &w); err != nil {
			return DeviceInfo{}, deviceError(i, "", err)
		}
		d, err := device(i, &w)
		if e, ok := err.(*DecodeError); ok && e.Item == "" {
			named := *e
			named.Item = "device " + strconv.Itoa(i)
			err = &named
		}
		if err != nil {
			return DeviceInfo{}, err
		}
		return d, checkDevice(i, d)
	})
}
