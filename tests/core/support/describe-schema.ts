/**
 * What a schema takes, as plain JSON: the members of objects, what lists hold, the kinds of values. Bounds
 * are left out, since a bound may be widened without a new version.
 */
import assert from "node:assert/strict"
import type * as v from "valibot"

interface Node {
  readonly type: string
  readonly entries?: Readonly<Record<string, Node>>
  readonly item?: Node
  readonly wrapped?: Node
  readonly options?: readonly (Node | string)[]
  readonly literal?: unknown
}

export function describeSchema(schema: v.GenericSchema): unknown {
  return describeNode(schema)
}

function describeNode({ type, entries, item, wrapped, options, literal }: Node): unknown {
  switch (type) {
    case "strict_object": {
      const members = Object.entries(entries ?? {}).map(([name, node]) => {
        return [node.type === "exact_optional" ? `${name}?` : name, describeNode(node)]
      })
      return Object.fromEntries(members)
    }
    case "array":
      return [describeNode(item ?? assert.fail())]
    case "nullable":
      return { oneOf: ["null", describeNode(wrapped ?? assert.fail())] }
    case "exact_optional":
      return describeNode(wrapped ?? assert.fail())
    case "union":
      return { oneOf: options?.map((each) => describeNode(each as Node)) }
    case "picklist":
      return { oneOf: options }
    case "literal":
      return { literal }
    case "string":
    case "number":
    case "boolean":
    case "record":
    case "custom":
      return type
    default:
      return assert.fail(`${type} is not described`)
  }
}
