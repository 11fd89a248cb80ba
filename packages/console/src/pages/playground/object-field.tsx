/**
 * An object. One that need not be there, but then needs members, is added and removed; of any other the fields are
 * always shown, and it is sent if one of them is filled in.
 */
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { toBlank, toValues } from "./field-values.ts"
import { findFault } from "./find-fault.ts"
import { Group } from "./group.tsx"
import type { WholeProps } from "./part.ts"
import { Parameters } from "./parameters.tsx"
import type { FormField, Values } from "./schema-fields.ts"

type ObjectShape = Extract<FormField, { readonly kind: "object" }>

export function ObjectField(props: WholeProps<ObjectShape>): JSX.Element {
  const { error, field, onChange, Part, path, value } = props
  const { fields, hint, isRequired, title } = field
  const needsMembers =
    fields.some((each) => each.isRequired) || Object.keys(field.constants).length > 0
  const isAdded = !isRequired && needsMembers
  const parts = fields.map(({ name }) => `${path}.${name}`)
  const isShown = !isAdded || value !== undefined
  const change = (values: Values): void => {
    const isEmpty = Object.keys(values).length === 0
    onChange(isEmpty && !isRequired && !isAdded ? undefined : values)
  }
  return (
    <Group title={title} hint={hint} fault={findFault(error, path, isShown ? parts : [])}>
      {isShown && (
        <Parameters
          Part={Part}
          fields={fields}
          path={path}
          values={{ ...field.constants, ...toValues(value) }}
          error={error}
          onChange={change}
        />
      )}
      {isAdded && (
        <span>
          {isShown ? (
            <Button look="quiet" icon="close" onPress={() => onChange(undefined)}>
              Remove <span class="unseen">{title}</span>
            </Button>
          ) : (
            <Button onPress={() => onChange(toBlank(field))}>
              Add <span class="unseen">{title}</span>
            </Button>
          )}
        </span>
      )}
    </Group>
  )
}
