/** Labels as options of commands: `--label project=spring`, as often as there are labels. */
import { InvalidArgumentError } from "commander"

export type LabelTexts = readonly string[]

/** Collects one more. The service checks keys and values; this only tells a label from a slip. */
export function collectLabel(text: string, before: LabelTexts = []): LabelTexts {
  if (!/^[^=]+=/.test(text)) throw new InvalidArgumentError("expected key=value.")
  return [...before, text]
}

/** By key; of a key that stands twice the last one counts. */
export function toLabels(texts: LabelTexts = []): Readonly<Record<string, string>> {
  const entries = texts.map((text) => {
    const end = text.indexOf("=")
    return [text.slice(0, end), text.slice(end + 1)] as const
  })
  return Object.fromEntries(entries)
}
