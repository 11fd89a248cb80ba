/** One parameter of the form. An empty control sends nothing, so that the model's own default holds. */
import type { JSX } from "preact"
import { ColourField, ColoursField } from "./colour-field.tsx"
import { findFault } from "./find-fault.ts"
import { ListField } from "./list-field.tsx"
import { MediaField } from "./media-field.tsx"
import { ObjectField } from "./object-field.tsx"
import { SingleField } from "./single-field.tsx"
import type { PartProps } from "./part.ts"
import { UnionField } from "./union-field.tsx"

export function ParameterField(props: PartProps): JSX.Element {
  const { field, onChange, value } = props
  if (!field.isNullable) return <Shown {...props} />
  return (
    <div class="field">
      {value !== null && <Shown {...props} />}
      <label class="check">
        <input
          type="checkbox"
          checked={value === null}
          onChange={(event) => onChange(event.currentTarget.checked ? null : undefined)}
        />
        {field.title}: none
      </label>
    </div>
  )
}

function Shown(props: PartProps): JSX.Element {
  const { error, field, onChange, path, value } = props
  const flat = { label: field.title, fault: findFault(error, path), value, onChange }
  switch (field.kind) {
    case "media":
      return (
        <MediaField
          {...flat}
          types={field.types}
          maxBytes={field.maxBytes}
          maxItems={field.maxItems}
          value={field.isList ? value : toItems(value)}
          onChange={field.isList ? onChange : (items) => onChange(toOnly(items))}
        />
      )
    case "colour":
      return <ColourField {...flat} />
    case "colours":
      return <ColoursField {...flat} />
    case "object":
      return <ObjectField {...props} field={field} Part={ParameterField} />
    case "list":
      return <ListField {...props} field={field} Part={ParameterField} />
    case "union":
      return <UnionField {...props} field={field} Part={ParameterField} />
    case "switch":
    case "text":
    case "choice":
    case "number":
    case "json":
      return <SingleField {...flat} field={field} />
  }
}

function toItems(value: unknown): readonly unknown[] {
  return value === undefined || value === "" ? [] : [value]
}

function toOnly(items: unknown): unknown {
  return Array.isArray(items) ? items[0] : undefined
}
