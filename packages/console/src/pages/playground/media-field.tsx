/**
 * Media for a model: files that are dropped, pasted or chosen become data URLs, and addresses are taken as they are.
 * Nothing is uploaded before the task is submitted.
 */
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { useId } from "preact/hooks"
import { Button } from "../../design/button.tsx"

export interface MediaFieldProps {
  readonly label: string
  readonly fault: string | undefined
  readonly value: unknown
  /** MIME types. */
  readonly types: readonly string[]
  /** Of one file. */
  readonly maxBytes: number
  readonly maxItems: number | undefined
  readonly onChange: (value: unknown) => void
}

export function MediaField(props: MediaFieldProps): JSX.Element {
  const { label, fault, value, types, maxBytes, maxItems = Infinity, onChange } = props
  const id = useId()
  const isOver = useSignal(false)
  const problem = useSignal<string | undefined>(undefined)
  const items = Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
  const change = (next: readonly string[]): void => onChange(next.length === 0 ? undefined : next)

  async function take(files: Iterable<File>): Promise<void> {
    const fitting = Array.from(files).filter(({ type }) => types.includes(type))
    const small = fitting.filter(({ size }) => size <= maxBytes)
    if (fitting.length === 0) problem.value = `Takes ${types.join(", ")}.`
    else problem.value = small.length < fitting.length ? toSizeWords(maxBytes) : undefined
    const read = await Promise.all(small.map(toDataUrl))
    change([...items, ...read].slice(0, maxItems))
  }

  return (
    <div
      class={`field media-field ${isOver.value ? "over" : ""}`}
      role="group"
      aria-labelledby={id}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        void take(event.dataTransfer?.files ?? [])
      }}
      onPaste={(event) => {
        const { files = [] } = event.clipboardData ?? {}
        if (files.length > 0) void take(files)
      }}
    >
      <span class="field-name" id={id}>
        {label}
      </span>
      <MediaItems items={items} onChange={change} />
      {items.length < maxItems && (
        <AddMedia
          types={types}
          label={label}
          isOne={maxItems === 1}
          onFiles={(files) => void take(files)}
          onAddress={(address) => change([...items, address])}
        />
      )}
      {(fault ?? problem.value) !== undefined && (
        <p class="field-fault" role="alert">
          {fault ?? problem}
        </p>
      )}
    </div>
  )
}

interface MediaItemsProps {
  readonly items: readonly string[]
  readonly onChange: (items: readonly string[]) => void
}

function MediaItems({ items, onChange }: MediaItemsProps): JSX.Element {
  return (
    <ul class="line">
      {items.map((item, index) => (
        <li key={index} class="media-item">
          {item.startsWith("data:image/") ? (
            <img src={item} alt={`Item ${index + 1}`} />
          ) : (
            <code>{item.startsWith("data:") ? item.slice(5, item.indexOf(";")) : item}</code>
          )}
          <Button look="quiet" icon="close" onPress={() => onChange(items.toSpliced(index, 1))}>
            <span class="unseen">Remove item {index + 1}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

interface AddMediaProps {
  readonly types: readonly string[]
  readonly label: string
  readonly isOne: boolean
  readonly onFiles: (files: Iterable<File>) => void
  readonly onAddress: (address: string) => void
}

function AddMedia({ types, label, isOne, onFiles, onAddress }: AddMediaProps): JSX.Element {
  return (
    <div class="media-add">
      <input
        type="file"
        multiple={!isOne}
        accept={types.join()}
        aria-label={`${label}: files`}
        onChange={(event) => {
          onFiles(event.currentTarget.files ?? [])
          event.currentTarget.value = ""
        }}
      />
      <input
        class="control"
        type="url"
        placeholder="Drop or paste a file, or write its https address"
        aria-label={`${label}: address`}
        onChange={(event) => {
          const { value } = event.currentTarget
          if (!event.currentTarget.checkValidity() || value === "") return
          onAddress(value)
          event.currentTarget.value = ""
        }}
      />
    </div>
  )
}

function toSizeWords(bytes: number): string {
  const mebibytes = new Intl.NumberFormat().format(Math.floor(bytes / 2 ** 20))
  return `A file may have at most ${mebibytes} MiB: write the address of a larger one.`
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve(reader.result as string))
    reader.addEventListener("error", () => reject(reader.error ?? new Error("unreadable")))
    reader.readAsDataURL(file)
  })
}
