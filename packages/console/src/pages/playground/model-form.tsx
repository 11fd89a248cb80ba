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
import { isComplete } from "./field-values.ts"
import { findFault } from "./find-fault.ts"
import { ParameterField } from "./parameter-field.tsx"
import { Parameters } from "./parameters.tsx"
import { PriceTag } from "./price-tag.tsx"
import type { Runs } from "./runs.ts"
import { toForm, type FormField, type Values } from "./schema-fields.ts"
import { useQuote } from "./use-quote.ts"

export interface ModelFormProps {
  readonly model: ModelInfo
  readonly runs: Runs
}

export function ModelForm({ model, runs }: ModelFormProps): JSX.Element {
  const client = useClient()
  const { constants, fields } = useMemo(() => toForm(model), [model])
  const values = useSignal<Values>(constants)
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

  const change = (next: Values): void => {
    values.value = next
    refused.value = undefined
  }

  const error = refused.value ?? quoted.value.error
  return (
    <form ref={form} class="stack" onSubmit={(event) => void submit(event)} noValidate>
      {model.description !== undefined && <p class="soft">{model.description}</p>}
      <ExampleButtons
        examples={model.examples ?? []}
        onChoose={(example) => change({ ...constants, ...example })}
      />
      <Parameters
        Part={ParameterField}
        fields={fields}
        path="parameters"
        values={values.value}
        error={error}
        onChange={change}
      />
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

interface FormFaultProps {
  readonly error: ApiError
  readonly fields: readonly FormField[]
}

/** What no field shows. */
function FormFault({ error, fields }: FormFaultProps): JSX.Element | null {
  if (fields.some(({ name }) => findFault(error, `parameters.${name}`) !== undefined)) return null
  return (
    <p class="field-fault" role="alert">
      {toSentence(error)}
    </p>
  )
}

interface ExampleButtonsProps {
  readonly examples: readonly Values[]
  readonly onChoose: (example: Values) => void
}

function ExampleButtons({ examples, onChoose }: ExampleButtonsProps): JSX.Element | null {
  if (examples.length === 0) return null
  return (
    <div class="line">
      {examples.map((example, index) => (
        <Button key={index} look="quiet" onPress={() => onChoose(example)}>
          {examples.length === 1 ? "Fill in an example" : `Fill in example ${index + 1}`}
        </Button>
      ))}
    </div>
  )
}

function selectPrompt(form: HTMLFormElement | null): void {
  const prompt = form?.querySelector<HTMLTextAreaElement>("textarea[name=prompt]")
  prompt?.focus()
  prompt?.select()
}
