/** What came out of a task: pictures that open large, films and sounds that play, and what can be done with each. */
import { toFileExtension, type Artifact } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Media } from "../../design/media.tsx"
import { Moment } from "../../design/moment.tsx"
import { saveArtifact } from "../../design/load-media.ts"
import { useAct } from "../../design/use-act.ts"
import { useClient } from "../../session/session.ts"
import { LinkDialog } from "./link-dialog.tsx"
import "./artifact-panel.css"

export interface ArtifactPanelProps {
  readonly task: string
  readonly artifact: Artifact
}

export function ArtifactPanel({ task, artifact }: ArtifactPanelProps): JSX.Element {
  const { key, expires_at: expiresAt } = artifact
  const isLarge = useSignal(false)
  const address = useSignal<string | undefined>(undefined)
  const isGone = expiresAt !== undefined && expiresAt * 1000 <= Date.now()
  if (isGone) {
    return (
      <figure class="card artifact">
        <p class="soft">
          {key} has expired <Moment atMs={expiresAt * 1000} />.
        </p>
      </figure>
    )
  }
  const media = (
    <Media
      task={task}
      artifact={artifact}
      label={key}
      onLoaded={(made) => (address.value = made)}
    />
  )
  return (
    <figure class="card artifact">
      {artifact.type === "image" ? (
        <button class="artifact-zoom" type="button" onClick={() => (isLarge.value = true)}>
          <span class="unseen">Show larger: </span>
          {media}
        </button>
      ) : (
        media
      )}
      <ArtifactCaption task={task} artifact={artifact} address={address.value} />
      {isLarge.value && (
        <Dialog title={key} look="wide" onClose={() => (isLarge.value = false)}>
          <Media task={task} artifact={artifact} label={key} />
        </Dialog>
      )}
    </figure>
  )
}

interface ArtifactCaptionProps extends ArtifactPanelProps {
  /** Of the bytes in memory or of a private link, once there is one. */
  readonly address: string | undefined
}

function ArtifactCaption({ task, artifact, address }: ArtifactCaptionProps): JSX.Element {
  const { key, mime_type: type, expires_at: expiresAt } = artifact
  const isLinking = useSignal(false)
  return (
    <figcaption class="line spread">
      <span>
        <code>{key}</code> <span class="soft small">{type}</span>
        {expiresAt !== undefined && (
          <span class="soft small">
            {" · gone "}
            <Moment atMs={expiresAt * 1000} />
          </span>
        )}
      </span>
      <span class="line">
        {address !== undefined && (
          <Button look="quiet" href={address} download={toFileName(task, artifact)}>
            Download
          </Button>
        )}
        {isSavedWhole(artifact) && <SaveButton task={task} artifact={artifact} />}
        <Button look="quiet" onPress={() => (isLinking.value = true)}>
          Link
        </Button>
      </span>
      {isLinking.value && (
        <LinkDialog task={task} artifact={key} onClose={() => (isLinking.value = false)} />
      )}
    </figcaption>
  )
}

/** Nothing of it is loaded, or only its beginning. */
function isSavedWhole({ type }: Artifact): boolean {
  return type === "text" || type === "3d"
}

function SaveButton({ task, artifact }: ArtifactPanelProps): JSX.Element {
  const client = useClient()
  const { isBusy, act } = useAct()
  const save = (): Promise<void> =>
    saveArtifact(client, task, artifact.key, toFileName(task, artifact))
  return (
    <Button look="quiet" isBusy={isBusy.value} onPress={() => void act(save)}>
      Download
    </Button>
  )
}

function toFileName(task: string, { key, mime_type: type }: Artifact): string {
  return `${task}-${key}.${toFileExtension(type)}`
}
