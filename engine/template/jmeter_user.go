package template

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

var userFunctions = []jmeter{
	{
		name: "__counter", params: "perUser[,variable]", min: 1, max: 2, variable: 1,
		doc:     "1, 2, 3 …; TRUE counts for each user alone, FALSE for all users together; each place counts for itself",
		example: "${__counter(FALSE)}",
		prepare: func(k *call, args []string) error {
			if !trueText(args[0]) && !strings.EqualFold(args[0], "false") && args[0] != "" {
				return fmt.Errorf("%q is neither TRUE nor FALSE", args[0])
			}
			return nil
		},
		number: func(c *Context, k *call, args []string) (int64, error) {
			if !trueText(args[0]) {
				if c.Counters == nil {
					return 0, errors.New("there are no shared counters here")
				}
				return c.Counters.next(k.counter), nil
			}
			return c.Vars.count(k.counter), nil
		},
	},
	{
		name: "__threadNum", min: 0, max: 0,
		doc:     "the number of the virtual user, from 1",
		example: "user-${__threadNum}",
		number:  func(c *Context, k *call, args []string) (int64, error) { return int64(c.User) + 1, nil },
	},
	{
		name: "__iterationNum", min: 0, max: 0,
		doc:     "the number of the user's iteration, from 1",
		example: "${__iterationNum}",
		number:  func(c *Context, k *call, args []string) (int64, error) { return c.Iteration + 1, nil },
	},
	{
		name: "__threadGroupName", min: 0, max: 0,
		doc:     "the name of the execution",
		example: "${__threadGroupName}",
		text: func(dst []byte, c *Context, k *call, args []string) ([]byte, error) {
			return append(dst, c.Execution...), nil
		},
	},
	{
		name: "__samplerName", params: "[variable]", min: 0, max: 1,
		doc:     "the label of the request",
		example: "${__samplerName}",
		text: func(dst []byte, c *Context, k *call, args []string) ([]byte, error) {
			return append(dst, c.Label...), nil
		},
	},
	{
		name: "__machineName", params: "[variable]", min: 0, max: 1,
		doc:     "the name of this machine",
		example: "${__machineName}",
		fold:    func(c *Compiler, args []string) (string, error) { return os.Hostname() },
	},
	{
		name: "__V", params: "name[,default]", min: 1, max: 2,
		doc:     "the variable whose name is put together at run time",
		example: "${__V(item_${n},none)}",
		value: func(c *Context, k *call, args []string) (Value, error) {
			if v, ok := c.Vars.Lookup(args[0]); ok && v.IsSet() {
				return v, nil
			}
			if len(args) > 1 {
				return String(args[1]), nil
			}
			return Value{}, fmt.Errorf("there is no variable %q", args[0])
		},
	},
	{
		name: "__isVarDefined", params: "name", min: 1, max: 1,
		doc:     "whether a variable has a value",
		example: "${__isVarDefined(token)}",
		value:   isDefined,
	},
	{
		name: "__isDefined", params: "name", min: 1, max: 1,
		doc:     "whether a variable has a value",
		example: "${__isDefined(token)}",
		value:   isDefined,
	},
	{
		name: "__intSum", params: "a,b,…[,variable]", min: 2, max: -1, variable: lastArgument,
		doc:     "the sum of whole numbers",
		example: "${__intSum(${n},1)}",
		prepare: prepareSum, number: sum,
	},
	{
		name: "__longSum", params: "a,b,…[,variable]", min: 2, max: -1, variable: lastArgument,
		doc:     "the sum of whole numbers",
		example: "${__longSum(${n},1)}",
		prepare: prepareSum, number: sum,
	},
	{
		name: "__split", params: "text,variable[,delimiter]", min: 2, max: 3, variable: 1, prefix: true,
		doc:     "cuts a text at commas, or at the delimiter, into variable_1, variable_2 …; variable_n is their number",
		example: "${__split(a b c,word, )}",
		text:    splitText,
	},
}

func isDefined(c *Context, _ *call, args []string) (Value, error) {
	v, ok := c.Vars.Lookup(args[0])
	return Bool(ok && v.IsSet()), nil
}

func prepareSum(k *call, args []string) error {
	_, err := sum(nil, k, args)
	return err
}

func sum(_ *Context, _ *call, args []string) (int64, error) {
	total := int64(0)
	for _, arg := range args {
		n, err := wholeNumber(arg)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// splitText implements __split. As in JMeter, nothing between two delimiters gives "?".
func splitText(dst []byte, c *Context, k *call, args []string) ([]byte, error) {
	if !k.sets {
		return dst, errors.New("__split needs the name of a variable, and cannot be used inside an expression")
	}
	delimiter := ","
	if len(args) > 1 && args[1] != "" {
		delimiter = args[1]
	}
	parts := strings.Split(args[0], delimiter)
	for i, part := range parts {
		if part == "" {
			parts[i] = "?"
		}
	}
	c.Vars.SetMatches(k.family, &Matches{Values: parts, Count: len(parts)})
	if name := c.Vars.names.base[k.family]; name != "" {
		c.Vars.SetNamed(name+"_n", Int(int64(len(parts))))
	}
	return append(dst, args[0]...), nil
}

// count advances the user's own counter of a place.
func (v *Vars) count(place int) int64 {
	if v.counters == nil {
		v.counters = make([]uint32, v.names.counters)
	}
	v.counters[place]++
	return int64(v.counters[place])
}
