/** What one task made, each with the time that is left of it. */
import type { Artifact, ListedTask } from "@safelight/client"
import type { JSX } from "preact"
import { useRef } from "preact/hooks"
import { toSentence } from "../../design/failure.tsx"
import { Media } from "../../design/media.tsx"
import { Moment } from "../../design/moment.tsx"
import { useInSight } from "../../design/use-in-sight.ts"
import { toHref } from "../../router/route.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"

export function TaskTiles({ task }: { readonly task: ListedTask }): JSX.Element {
  // The list's item has no box of its own, so it is the tile that is looked for.
  const place = useRef<HTMLSpanElement>(null)
  const isSeen = useInSight(place)
  return (
    <li class="gallery-task">
      {isSeen.value ? <SeenTiles task={task} /> : <span ref={place} class="media" />}
    </li>
  )
}

function SeenTiles({ task }: { readonly task: ListedTask }): JSX.Element {
  const client = useClient()
  const { task_id: id } = task
  const { state } = useLoaded((signal) => client.artifacts(id, { signal }), [client, id])
  const { value: artifacts, error } = state.value
  if (error !== undefined) return <p class="media-missing">{toSentence(error)}</p>
  if (artifacts === undefined) return <span class="media" />
  return (
    <>
      {artifacts.map((artifact) => (
        <Tile key={artifact.key} task={task} artifact={artifact} />
      ))}
    </>
  )
}

interface TileProps {
  readonly task: ListedTask
  readonly artifact: Artifact
}

function Tile({ task, artifact }: TileProps): JSX.Element {
  const { key, expires_at: expiresAt } = artifact
  const isGone = expiresAt !== undefined && expiresAt * 1000 <= Date.now()
  const href = toHref(["tasks", task.task_id])
  // What can be pressed may not be within a link.
  const [Whole, Words] =
    artifact.type === "audio" ? (["div", "a"] as const) : (["a", "span"] as const)
  return (
    <Whole class="tile" {...(Whole === "a" && { href })}>
      {isGone ? (
        <span class="media media-missing">It has expired.</span>
      ) : (
        <Media
          task={task.task_id}
          artifact={artifact}
          label={`${key} of ${task.model}`}
          isPreview
        />
      )}
      {task.prompt !== undefined && task.prompt !== null && (
        <bdi class="tile-prompt">{task.prompt}</bdi>
      )}
      <Words class="tile-words small soft" {...(Words === "a" && { href })}>
        <span>{task.model.split("/").at(-1)}</span>
        {expiresAt !== undefined && (
          <span>
            gone <Moment atMs={expiresAt * 1000} />
          </span>
        )}
      </Words>
    </Whole>
  )
}
