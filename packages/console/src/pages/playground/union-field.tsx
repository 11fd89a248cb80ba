/** A value that may be one of several things: which one is chosen first. */
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Choice } from "../../design/choice.tsx"
import { canShow, toBlank } from "./field-values.ts"
import { findFault } from "./find-fault.ts"
import { Group } from "./group.tsx"
import type { WholeProps } from "./part.ts"
import type { FormField } from "./schema-fields.ts"

type UnionShape = Extract<FormField, { readonly kind: "union" }>

export function UnionField(props: WholeProps<UnionShape>): JSX.Element {
  const { error, field, onChange, Part, path, value } = props
  const { hint, isRequired, options, title } = field
  const chosen = useSignal(-1)
  const at = findOption(options, value, chosen.value)
  const option = options[at]
  const choose = (text: string): void => {
    const next = options[Number(text)]
    chosen.value = text === "" ? -1 : Number(text)
    onChange(text === "" || next === undefined ? undefined : toFirst(next))
  }
  const first = isRequired ? "Choose" : "Automatic"
  return (
    <Group
      title={title}
      hint={hint}
      fault={option === undefined ? findFault(error, path) : undefined}
    >
      <Choice
        label={`${title} as`}
        value={option === undefined ? "" : String(at)}
        options={[
          ["", first] as const,
          ...options.map((each, index) => [String(index), each.title] as const),
        ]}
        onChoose={choose}
      />
      {option !== undefined && (
        <Part
          key={at}
          field={{ ...option, name: field.name, title: option.title }}
          path={path}
          value={value}
          error={error}
          onChange={onChange}
        />
      )}
    </Group>
  )
}

/** A choice or a text is left to be filled in. */
function toFirst(option: FormField): unknown {
  const isFilledIn = ["object", "list", "switch", "union"].includes(option.kind)
  return isFilledIn ? toBlank(option) : undefined
}

/** What was chosen, as long as it can show the value; otherwise the first that can. */
function findOption(options: readonly FormField[], value: unknown, chosen: number): number {
  const known = options[chosen]
  if (value === undefined) return known === undefined ? -1 : chosen
  if (known !== undefined && canShow(known, value)) return chosen
  return options.findIndex((option) => canShow(option, value))
}
