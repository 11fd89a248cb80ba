/** Colours, picked by the browser's own picker and sent as `{ r, g, b }`. */
import type { JSX } from "preact"
import { useId } from "preact/hooks"
import { Button } from "../../design/button.tsx"

interface Colour {
  readonly r: number
  readonly g: number
  readonly b: number
}

export interface ColourFieldProps {
  readonly label: string
  readonly fault: string | undefined
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

const FIRST: Colour = { r: 200, g: 40, b: 27 }

export function ColourField({ label, fault, value, onChange }: ColourFieldProps): JSX.Element {
  const colour = isColour(value) ? value : undefined
  return (
    <Group label={label} fault={fault}>
      {colour === undefined ? (
        <Button onPress={() => onChange(FIRST)}>Choose</Button>
      ) : (
        <Picker
          label={label}
          colour={colour}
          onChange={onChange}
          onRemove={() => onChange(undefined)}
        />
      )}
    </Group>
  )
}

export function ColoursField({ label, fault, value, onChange }: ColourFieldProps): JSX.Element {
  const colours = Array.isArray(value) ? value.filter(isColour) : []
  const change = (next: readonly Colour[]): void => onChange(next.length === 0 ? undefined : next)
  return (
    <Group label={label} fault={fault}>
      {colours.map((colour, index) => (
        <Picker
          key={index}
          label={`${label}, ${index + 1}`}
          colour={colour}
          onChange={(next) => change(colours.with(index, next))}
          onRemove={() => change(colours.toSpliced(index, 1))}
        />
      ))}
      <Button onPress={() => change([...colours, FIRST])}>Add</Button>
    </Group>
  )
}

interface GroupProps {
  readonly label: string
  readonly fault: string | undefined
  readonly children: JSX.Element | (JSX.Element | JSX.Element[])[]
}

function Group({ label, fault, children }: GroupProps): JSX.Element {
  const id = useId()
  return (
    <div class="field" role="group" aria-labelledby={id}>
      <span class="field-name" id={id}>
        {label}
      </span>
      <div class="line">{children}</div>
      {fault !== undefined && (
        <p class="field-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}

interface PickerProps {
  readonly label: string
  readonly colour: Colour
  readonly onChange: (colour: Colour) => void
  readonly onRemove: () => void
}

function Picker({ label, colour, onChange, onRemove }: PickerProps): JSX.Element {
  return (
    <span class="line colour">
      <input
        type="color"
        aria-label={label}
        value={toHex(colour)}
        onInput={(event) => onChange(fromHex(event.currentTarget.value))}
      />
      <Button look="quiet" icon="close" onPress={onRemove}>
        <span class="unseen">Remove {label}</span>
      </Button>
    </span>
  )
}

function toHex({ r, g, b }: Colour): string {
  return `#${[r, g, b].map((each) => each.toString(16).padStart(2, "0")).join("")}`
}

function fromHex(text: string): Colour {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16))
  return { r, g, b }
}

function isColour(value: unknown): value is Colour {
  return typeof value === "object" && value !== null && "r" in value && "g" in value && "b" in value
}
