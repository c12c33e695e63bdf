// Package scenario answers the commands of readable transcripts: nodes and pods in, decisions out as text. It is for tests;
// they feed it the commands of a file in testdata (see [World.Do]) and compare.
//
// A command has a name, arguments and an input of lines.
//
//	config [node-policy=W] [device-policy=W] [quirks=(Q, …)]   input: a device configuration; without: the built-in one
//	names              input: a short name of a resource per line, "vmlu cambricon.com/vmlu"
//	profiles NAME      input: a MIG profile per line, "1g.5gb mem=4864 core=15 slices=1 at=0+1,1+1" (start+size)
//	node NAME [vendor=V] [add] [odd]   input: devices and annotations, see below; replaces the node, or adds to it; odd:
//	                   the devices may read otherwise
//	existing NODE [vendor=V]     input: "allocated TEXT", "holds MIB/CORES ID…" (each device in one
//	                   container; ID*N: N times), "reserved ID PROFILE START+SIZE [CONTAINER/DEVICE]", "KEY: VALUE"
//	end POD            the pod is gone
//	quota NS/NAME      input: "gpumem 2000" per limit; without input the object is deleted
//	request            what each container asks for: devices / MiB / percent / cores
//	admit [scheduler=S] [keep-default]   what admission makes of the pod, under the quota of its namespace
//	fit NODE [hold]    the devices of each container, or why not; hold adds what the pod holds of each device
//	place NODE         fit, and the pod is there from now on; NODE may be "any": the node that filter chooses
//	filter NODE…       the node that is chosen, and of every other its score or why it does not serve
//	why NODE           what was found of each device
//	score NODE         of the node for the pod, before it is placed
//	annotations NODE   written on the pod
//	usage NODE         of its devices that something is taken of, or that take no new work
//	inventory NODE [vendor=V]    what is read of the node, and what cannot be; of one vendor, also why there is nothing
//	health [vendor=V]  input: a look at a node's cards per line, "offered=N handshake=(pending|expired|answered|TEXT)
//	                   registration=TEXT", "unregistered";
//	                   answers for each: trusted, inventory to be read anew
//
// The input of a node is a device per line, "g0 mem=23034 numa=1 type=NVIDIA A10" (see [World.node] for the keys; "g0..g3"
// stands for four), "link g0 g1 600" (both ways), "link g0 > g1 600" (one way), "links 20" (all others), "capacity NAME N",
// "allocatable NAME N", "label KEY VALUE", or an annotation "KEY: VALUE", which goes before what the agent would write. Vendors
// are NVIDIA where none is named.
//
// A pod is a line of items joined by " ; ", or a YAML document. Items are containers, "[init|sidecar|app] gpu=1 R:gpumem=100
// [privileged]" (R: in the requests; short names are NVIDIA's and those of the command names), annotations "@KEY: VALUE" (a value in quotes is
// unquoted), and "pod name=N ns=N uid=U scheduler=S node=N". A line that ends with " ;" goes on. Commands that take a pod
// take several, and answer each on a line of its own.
package scenario
