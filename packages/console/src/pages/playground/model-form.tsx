/** The form of one model: made from its JSON Schema, with the price next to the button and the same as code below. */
import type { ApiError, ModelInfo } from "@safelight/client"
import { useSignal, useSignalEffect } from "@preact/signals"
import type { JSX } from "preact"
import { useMemo, useRef } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { toSentence } from "../../design/failure.tsx"
import { useClient } from "../../session/session.ts"
import { wanted } from "./again.ts"
import { CodePanel } from "./code-panel.tsx"
import { ParameterField } from "./parameter-field.tsx"
import { PriceTag } from "./price-tag.tsx"
import type { Runs } from "./runs.ts"
import { isComplete, toFields, type FormField, type Values } from "./schema-fields.ts"
import { useQuote } from "./use-quote.ts"

export interface ModelFormProps {
  readonly model: ModelInfo
  readonly runs: Runs
}

export function ModelForm({ model, runs }: ModelFormProps): JSX.Element {
  const client = useClient()
  const fields = useMemo(() => toFields(model), [model])
  const values = useSignal<Values>({})
  const isBusy = useSignal(false)
  const refused = useSignal<ApiError | undefined>(undefined)
  const form = useRef<HTMLFormElement>(null)
  const order = { model: model.model, parameters: values.value }
  const isWhole = isComplete(fields, order.parameters)
  const quoted = useQuote(client, isWhole ? order : undefined)

  useSignalEffect(() => {
    if (wanted.value?.model !== model.model) return
    values.value = wanted.value.parameters
    wanted.value = undefined
    requestAnimationFrame(() => selectPrompt(form.current))
  })

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy.value) return
    isBusy.value = true
    try {
      refused.value = await runs.start(order, quoted.value.quote?.quote)
    } finally {
      isBusy.value = false
    }
  }

  const change = (name: string, value: unknown): void => {
    const { [name]: _, ...others } = values.value
    values.value = value === undefined ? others : { ...others, [name]: value }
    refused.value = undefined
  }

  const error = refused.value ?? quoted.value.error
  return (
    <form ref={form} class="stack" onSubmit={(event) => void submit(event)} noValidate>
      <Parameters fields={fields} values={values.value} error={error} onChange={change} />
      {error !== undefined && <FormFault error={error} fields={fields} />}
      <div class="line spread submit">
        <PriceTag quote={quoted.value.quote} />
        <Button type="submit" look="main" isBusy={isBusy.value} isDisabled={!isWhole}>
          Make it
        </Button>
      </div>
      <CodePanel order={order} />
    </form>
  )
}

interface ParametersProps {
  readonly fields: readonly FormField[]
  readonly values: Values
  readonly error: ApiError | undefined
  readonly onChange: (name: string, value: unknown) => void
}

function Parameters({ fields, values, error, onChange }: ParametersProps): JSX.Element {
  return (
    <div class="parameters">
      {fields.map((field) => (
        <div key={field.name} class={`parameter is-${field.kind}`}>
          <ParameterField
            field={field}
            value={values[field.name]}
            fault={findFault(error, field.name)}
            onChange={(value) => onChange(field.name, value)}
          />
        </div>
      ))}
    </div>
  )
}

interface FormFaultProps {
  readonly error: ApiError
  readonly fields: readonly FormField[]
}

/** What no field shows. */
function FormFault({ error, fields }: FormFaultProps): JSX.Element | null {
  if (fields.some(({ name }) => findFault(error, name) !== undefined)) return null
  return (
    <p class="field-fault" role="alert">
      {toSentence(error)}
    </p>
  )
}

function findFault(error: ApiError | undefined, name: string): string | undefined {
  const isOf = (param: string | undefined): boolean =>
    param !== undefined && param.split(/[.[]/)[1] === name && param.startsWith("parameters.")
  if (error === undefined) return undefined
  const detail = error.details.find(({ param }) => isOf(param))
  return detail?.message ?? (isOf(error.param) ? error.message : undefined)
}

function selectPrompt(form: HTMLFormElement | null): void {
  const prompt = form?.querySelector<HTMLTextAreaElement>("textarea[name=prompt]")
  prompt?.focus()
  prompt?.select()
}
