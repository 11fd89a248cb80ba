/** A list: of texts, numbers, objects, or whatever its items are. */
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { toBlank } from "./field-values.ts"
import { findFault } from "./find-fault.ts"
import { Group } from "./group.tsx"
import type { WholeProps } from "./part.ts"
import type { FormField } from "./schema-fields.ts"

type ListShape = Extract<FormField, { readonly kind: "list" }>

export function ListField(props: WholeProps<ListShape>): JSX.Element {
  const { error, field, onChange, Part, path, value } = props
  const { item, maxItems = Infinity, title } = field
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const parts = items.map((_, index) => `${path}[${index}]`)
  const change = (next: readonly unknown[]): void =>
    onChange(next.length === 0 && !field.isRequired ? undefined : next)
  return (
    <Group title={title} hint={toHint(field)} fault={findFault(error, path, parts)}>
      {items.length > 0 && (
        <ol class="parameter-items">
          {items.map((each, index) => {
            const name = `${title}, ${index + 1}`
            return (
              <li key={index} class="parameter-item">
                <Part
                  field={{ ...item, name: field.name, title: name }}
                  path={`${path}[${index}]`}
                  value={each}
                  error={error}
                  onChange={(next) => change(items.with(index, next ?? toEmpty(item, next)))}
                />
                <Button look="quiet" icon="close" onPress={() => change(items.toSpliced(index, 1))}>
                  <span class="unseen">Remove {name}</span>
                </Button>
              </li>
            )
          })}
        </ol>
      )}
      {items.length < maxItems && (
        <span>
          <Button onPress={() => change([...items, toBlank(item)])}>
            Add <span class="unseen">to {title}</span>
          </Button>
        </span>
      )}
    </Group>
  )
}

/** A list has no gaps: an item that was emptied is blank. Null may be meant. */
function toEmpty(item: FormField, next: unknown): unknown {
  return next === null ? null : toBlank(item)
}

function toHint({ hint, maxItems, minItems }: ListShape): string | undefined {
  const bounds = [
    minItems > 0 ? `at least ${minItems}` : "",
    maxItems === undefined ? "" : `at most ${maxItems}`,
  ].filter(Boolean)
  const words = [hint, bounds.join(", ")].filter(Boolean)
  return words.length === 0 ? undefined : words.join(" · ")
}
