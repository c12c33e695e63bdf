package simulate

// Note is something that an answer takes for granted and no node has said.
type Note struct {
	Object string // "node n1"
	Kind   NoteKind

	// Source is the name of the profile, or the instance type.
	Source string
}

// NoteKind says what is taken for granted.
type NoteKind string

// The kinds.
const (
	// AssumedFromInstanceType: the devices are those of the built-in profile of the instance type that the node's labels name.
	AssumedFromInstanceType NoteKind = "assumed from instance type"

	// AssumedFromProfile: the devices are those of the template's profile.
	AssumedFromProfile NoteKind = "assumed from device profile"

	// UpcomingDevices: the node has joined, its devices are not registered yet and are taken to be those of its profile.
	UpcomingDevices NoteKind = "not registered yet, assumed from device profile"
)

// String reads "node n1: devices assumed from instance type g5.xlarge".
func (n Note) String() string { return n.Object + ": devices " + string(n.Kind) + " " + n.Source }
