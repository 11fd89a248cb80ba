/** What a list and a model's page say of a model alike. */
import type { ModelInfo } from "@safelight/client"
import type { JSX } from "preact"
import { Mark } from "../../design/status-mark.tsx"
import { formatMoney } from "../../design/money.tsx"
import { toCheapest, type Rate } from "./price-rows.ts"

export type Kind = ModelInfo["outputs"]["type"]

export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  image: "Images",
  video: "Video",
  audio: "Audio",
  text: "Text",
  "3d": "3D",
}

const REASONS: Readonly<Record<NonNullable<ModelInfo["unavailable_reason"]>, string>> = {
  no_worker: "Nothing is working on tasks",
  no_channel: "No channel can make it",
  paused: "Paused by the operator",
}

export function toTitle({ model, title }: ModelInfo): string {
  return title ?? model
}

/** The main kind first. */
export function toKinds({ outputs }: ModelInfo): readonly Kind[] {
  return [outputs.type, ...(outputs.extras ?? []).map(({ type }) => type)]
}

export function toKindWords(model: ModelInfo): string {
  return toKinds(model)
    .map((kind) => KIND_WORDS[kind])
    .join(" and ")
}

export function Availability({ model }: { readonly model: ModelInfo }): JSX.Element {
  const { available, unavailable_reason: reason } = model
  if (available) return <Mark look="succeeded">Available</Mark>
  return <Mark look="failed">{reason === null ? "Not available" : REASONS[reason]}</Mark>
}

/** `from 0.06 an image`. */
export function toPriceWords({ price }: ModelInfo): string {
  const { isLeast, rates } = toCheapest(price)
  if (rates.length === 0) return "as it is charged"
  const words = toRateWords(rates)
  return isLeast ? `from ${words}` : words
}

export function toRateWords(rates: readonly Rate[]): string {
  return rates.map(({ micros, per }) => `${formatMoney(micros)} ${per}`).join(" + ")
}
