// Package kit holds what the device models of several vendors are put together from: reading a request, rules, admission,
// reading a node, health. A model of one's own may use it too.
//
// Nothing here decides for a vendor: which parts a model uses, and in which order, is to be read in the model.
package kit
