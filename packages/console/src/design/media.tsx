/**
 * An artifact's picture, film or sound, the beginning of its text, or how large its 3D model is. The bytes need the key, which an `<img>` can't send: the client fetches them, checks
 * their digest, and the page shows them from memory until the component goes. A film from memory seeks at once; a large
 * one is shown by a private link, which the service answers in ranges.
 */
import type { Artifact } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { useClient } from "../session/session.ts"
import { useLoaded } from "../session/use-loaded.ts"
import { toSentence } from "./failure.tsx"
import { formatBytes } from "./format-bytes.ts"
import { findSize, loadExcerpt, loadMedia } from "./load-media.ts"
import { useInSight } from "./use-in-sight.ts"
import "./media.css"

export interface MediaProps {
  readonly task: string
  readonly artifact: Pick<Artifact, "key" | "type">
  /** Says what is seen. */
  readonly label: string
  /** A film is shown by its first picture, without controls. */
  readonly isPreview?: boolean
  readonly onLoaded?: (address: string) => void
}

/** Bytes are fetched once the picture comes into sight. */
export function Media(props: MediaProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const isSeen = useInSight(place)
  return (
    <div ref={place} class="media">
      {isSeen.value ? <SeenMedia {...props} /> : <span class="media-wait" />}
    </div>
  )
}

function SeenMedia(props: MediaProps): JSX.Element {
  switch (props.artifact.type) {
    case "text":
      return <TextExcerpt {...props} />
    case "3d":
      return <ModelSize {...props} />
    case "image":
    case "video":
    case "audio":
      return <LoadedMedia {...props} />
  }
}

function TextExcerpt({ task, artifact, label }: MediaProps): JSX.Element {
  const client = useClient()
  const { state } = useLoaded(
    (signal) => loadExcerpt(client, task, artifact.key, signal),
    [task, artifact.key],
  )
  const { value: excerpt, error } = state.value
  if (error !== undefined) return <p class="media-missing">{toSentence(error)}</p>
  if (excerpt === undefined) return <Loading label={label} />
  return (
    <pre class="media-text" aria-label={label}>
      {excerpt.text}
      {!excerpt.isWhole && "…"}
    </pre>
  )
}

function ModelSize({ task, artifact, label }: MediaProps): JSX.Element {
  const client = useClient()
  const { state } = useLoaded(
    (signal) => findSize(client, task, artifact.key, signal),
    [task, artifact.key],
  )
  const { value: bytes, error, isLoading } = state.value
  if (error !== undefined) return <p class="media-missing">{toSentence(error)}</p>
  if (isLoading) return <Loading label={label} />
  return (
    <p class="media-missing">
      <strong>3D model</strong>
      {bytes !== undefined && <span> · {formatBytes(bytes)}</span>}
    </p>
  )
}

function Loading({ label }: Pick<MediaProps, "label">): JSX.Element {
  return (
    <span class="media-wait" role="status">
      <span class="unseen">Loading {label}</span>
    </span>
  )
}

function LoadedMedia({ task, artifact, label, isPreview, onLoaded }: MediaProps): JSX.Element {
  const client = useClient()
  const { state } = useLoaded(
    async (signal) => loadMedia(client, task, artifact, signal),
    [task, artifact.key],
  )
  const address = useSignal<string | undefined>(undefined)
  const media = state.value.value
  useEffect(() => {
    if (media === undefined) return undefined
    const made = typeof media === "string" ? media : URL.createObjectURL(media)
    address.value = made
    onLoaded?.(made)
    return () => {
      if (media instanceof Blob) URL.revokeObjectURL(made)
    }
  }, [media])

  const { error } = state.value
  if (error !== undefined) return <p class="media-missing">{toSentence(error)}</p>
  if (address.value === undefined) return <Loading label={label} />
  if (artifact.type === "image") return <img src={address.value} alt={label} />
  if (artifact.type === "audio") {
    return <audio src={address.value} controls preload="metadata" aria-label={label} />
  }
  if (isPreview === true) {
    return <video src={address.value} muted playsInline preload="metadata" aria-label={label} />
  }
  return <video src={address.value} controls playsInline loop aria-label={label} />
}
