package main

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/klog/v2"
)

var (
	contextType = reflect.TypeOf((*context.Context)(nil)).Elem()
	loggerType  = reflect.TypeOf(klog.Logger{})
)

// operationAdd is what is done with a pod, where a minor asks; resizes go through the allocation manager, which tells.
const operationAdd = "add"

// invoke calls a function of the kubelet whose signature grew from minor to minor: contexts and loggers are put where it
// takes them, "add" where it asks for the operation (from 1.37 on), and nothing for a list at the end that is not given. The
// other arguments are those given, in order.
func invoke(function any, args ...any) []any {
	called := reflect.ValueOf(function)
	kind := called.Type()
	in := make([]reflect.Value, 0, kind.NumIn())
	for index := 0; index < kind.NumIn(); index++ {
		wanted := kind.In(index)
		switch {
		case wanted == contextType:
			in = append(in, reflect.ValueOf(context.Background()))
		case wanted == loggerType:
			in = append(in, reflect.ValueOf(klog.Background()))
		case wanted.Kind() == reflect.String && wanted.Name() == "Operation":
			in = append(in, reflect.ValueOf(operationAdd).Convert(wanted))
		case len(args) == 0 && wanted.Kind() == reflect.Slice:
			in = append(in, reflect.Zero(wanted))
		case len(args) == 0:
			panic(fmt.Sprintf("%s: argument %d, a %s, is not known to the adapter", kind, index, wanted))
		default:
			in, args = append(in, as(wanted, args[0])), args[1:]
		}
	}
	out := make([]any, 0, kind.NumOut())
	for _, value := range called.Call(in) {
		out = append(out, value.Interface())
	}
	return out
}

// always stands for a function, whatever it takes, that gives these values, and nothing beyond them.
type always []any

func (a always) function(wanted reflect.Type) reflect.Value {
	return reflect.MakeFunc(wanted, func([]reflect.Value) []reflect.Value {
		out := make([]reflect.Value, wanted.NumOut())
		for index := range out {
			var value any
			if index < len(a) {
				value = a[index]
			}
			out[index] = as(wanted.Out(index), value)
		}
		return out
	})
}

func as(wanted reflect.Type, given any) reflect.Value {
	if given == nil {
		return reflect.Zero(wanted)
	}
	if function, is := given.(always); is {
		return function.function(wanted)
	}
	value := reflect.ValueOf(given)
	if !value.Type().AssignableTo(wanted) {
		return value.Convert(wanted)
	}
	return value
}

// result returns what a function gave that yields a value and an error, or an error alone.
func result[R any](out []any) (found R, err error) {
	if last := out[len(out)-1]; last != nil {
		if told, is := last.(error); is {
			return found, told
		}
	}
	if value, is := out[0].(R); is {
		found = value
	}
	return found, nil
}

// failure returns the error of a function that yields nothing else.
func failure(out []any) error {
	_, err := result[any](out)
	return err
}
