/** A task as the service last showed it, with methods for its artifacts. It is a copy and never changes. */
import type { Artifact, Task } from "../api/answers.ts"
import { isArtifactList } from "../api/check-answers.ts"
import { toTaskPath } from "../api/paths.ts"
import { createTaskArtifact, type TaskArtifact } from "../artifacts/task-artifact.ts"
import type { Connection } from "../connection/connection.ts"
import type { CallOptions } from "./list-tasks.ts"

export interface ClientTask extends Task {
  /** `image_1`, `image_2`, …, or `video`, `audio`, `text`, `3d`. No request is sent before one of its methods is called. */
  artifact(key: string): TaskArtifact
  /** The artifacts of a finished task, expired ones included; none if it failed. */
  artifacts(options?: CallOptions): Promise<readonly Artifact[]>
}

export function toClientTask(connection: Connection, task: Task): ClientTask {
  const { task_id: id } = task
  return {
    ...task,
    artifact: (key) => createTaskArtifact(connection, id, key),
    artifacts: (options) => listArtifacts(connection, id, options),
  }
}

export async function listArtifacts(
  connection: Connection,
  id: string,
  { signal }: CallOptions = {},
): Promise<readonly Artifact[]> {
  const path = `${toTaskPath(id)}/artifacts`
  return (await connection.read(path, isArtifactList, { signal })).artifacts
}
