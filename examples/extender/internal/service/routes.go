package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

var errSimulationsOnly = errors.New("this replica serves simulations only")

// filter answers what concerns the pod with status 200, as kube-scheduler expects (spec core §14.2).
func (h *handler) filter(ctx context.Context, body []byte) ([]byte, error) {
	args, err := readArgs(body)
	if err == nil && h.live == nil {
		err = errSimulationsOnly
	}
	result := &extenderv1.ExtenderFilterResult{}
	if err != nil {
		result.Error = clip(err.Error())
	} else {
		result = h.live.Filter(ctx, args)
	}
	h.metrics.filtered(result)
	return json.Marshal(result)
}

// prioritize has no field for an error: kube-scheduler leaves the extender's scores out if the status is not 200.
func (h *handler) prioritize(ctx context.Context, body []byte) ([]byte, error) {
	args, err := readArgs(body)
	if err != nil {
		return nil, newProblem(http.StatusBadRequest, err.Error())
	}
	if h.live == nil {
		return nil, newProblem(http.StatusServiceUnavailable, errSimulationsOnly.Error())
	}
	if err := h.live.Ready(); err != nil {
		return nil, newProblem(http.StatusServiceUnavailable, err.Error())
	}
	list, err := h.live.Prioritize(ctx, args)
	if err != nil {
		return nil, newProblem(http.StatusUnprocessableEntity, err.Error())
	}
	return json.Marshal(list)
}

// bind answers as filter does.
func (h *handler) bind(ctx context.Context, body []byte) ([]byte, error) {
	var args extenderv1.ExtenderBindingArgs
	err := strictly(body, &args)
	if err == nil && h.live == nil {
		err = errSimulationsOnly
	}
	result := &extenderv1.ExtenderBindingResult{}
	if err != nil {
		result.Error = clip(err.Error())
	} else {
		result = h.live.Bind(ctx, &args)
	}
	h.metrics.bound(result)
	return json.Marshal(result)
}

func (h *handler) simulate(ctx context.Context, body []byte) ([]byte, error) {
	if err := checkDepth(body); err != nil {
		return nil, newProblem(http.StatusBadRequest, err.Error())
	}
	response, err := h.simulator.Answer(ctx, body)
	if err != nil {
		return nil, err
	}
	h.metrics.judged("/filter-simulation", response.Counts())
	return response.JSON()
}

func (h *handler) admit(_ context.Context, body []byte) ([]byte, error) {
	if err := checkDepth(body); err != nil {
		return nil, newProblem(http.StatusBadRequest, err.Error())
	}
	review, err := h.admission.Review(body)
	if err != nil {
		return nil, newProblem(http.StatusBadRequest, err.Error())
	}
	return json.Marshal(review)
}

// readArgs reads ExtenderArgs: no fields but its own, whatever the objects in it hold.
func readArgs(body []byte) (*extenderv1.ExtenderArgs, error) {
	var texts struct {
		Pod, Nodes json.RawMessage
		NodeNames  *[]string
	}
	if err := strictly(body, &texts); err != nil {
		return nil, err
	}
	args := &extenderv1.ExtenderArgs{NodeNames: texts.NodeNames}
	if err := object(texts.Pod, "Pod", &args.Pod); err != nil {
		return nil, err
	}
	var nodes *corev1.NodeList
	if err := object(texts.Nodes, "Nodes", &nodes); err != nil {
		return nil, err
	}
	args.Nodes = nodes
	return args, nil
}

func object(text json.RawMessage, field string, into any) error {
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("extender args: %s: %w", field, err)
	}
	return nil
}

// strictly reads one JSON value and nothing else; fields that are not known are errors.
func strictly(body []byte, into any) error {
	if err := checkDepth(body); err != nil {
		return fmt.Errorf("extender args: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("extender args: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("extender args: something follows them")
	}
	return nil
}
