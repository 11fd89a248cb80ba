/**
 * Which database this is and which artifacts belong to it, as one record in the database itself. A
 * storage knows where its database is (a file, a database of a server): if that differs from what
 * was recorded, the database was copied, and the original may be in use. Errors are those of
 * `TaskStorage`.
 */

export interface DeploymentStorage {
  /**
   * The record, compared with where the database is now. A copy may be taken for the original: each
   * adapter says which copies it does not recognise, and those have to be adopted by hand.
   */
  readDeployment(): Promise<Deployment>
  /**
   * Records where the database is now, with what the request says, in place of the record of
   * `revision`; durable once resolved. What was recorded and can't be determined now is kept, unless
   * `adoptedAt` is a new one. False, and nothing is changed, if another was recorded since.
   */
  recordDeployment(request: DeploymentRecord): Promise<boolean>
  /**
   * The secret of this database, the same for every process that shares it: the first one proposed since
   * the database was last adopted, durable once resolved. So a copy that was adopted has another than its
   * original. 32 bytes as 64 lower-case hexadecimal digits; never logged, shown or exported.
   */
  agreeOnSecret(proposed: string): Promise<string>
  /**
   * The same for the secret that rows of this database are sealed with. It outlasts adoptions, since the rows do: a
   * copy opens what its original sealed.
   */
  agreeOnSealingSecret(proposed: string): Promise<string>
}

/** `new`: nothing was recorded. `copied`: it was recorded elsewhere. */
export type DatabaseStanding = "new" | "original" | "copied"

export interface Deployment {
  readonly standing: DatabaseStanding
  /** Present if more is known of the original than is recorded: it is to be recorded again. */
  readonly hasMoreToRecord?: true
  /** How often it was recorded. */
  readonly revision: number
  /** The mark of the artifact storage that belongs to it; null if none was recorded. */
  readonly artifactsMark: string | null
  /** When a copy, or another artifact storage, was last adopted, ms; 0: never. */
  readonly adoptedAt: number
}

export interface DeploymentRecord {
  /** Of the record that is replaced; 0 without one. */
  readonly revision: number
  readonly artifactsMark: string | null
  readonly adoptedAt: number
}
