// Package awsneuron is the device model of AWS Neuron devices: Inferentia and Trainium.
package awsneuron
