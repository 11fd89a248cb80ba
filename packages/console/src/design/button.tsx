/** A button, or a link that looks like one if it has an `href`. While it is busy it can be reached, and does nothing. */
import type { ComponentChildren, JSX } from "preact"
import { Icon, type IconName } from "./icon.tsx"
import "./button.css"

export interface ButtonProps {
  readonly children: ComponentChildren
  /** One main button a page; `quiet` has no frame. */
  readonly look?: "main" | "plain" | "quiet"
  readonly icon?: IconName | undefined
  readonly type?: "button" | "submit"
  readonly href?: string | undefined
  /** The name of the file that the link saves. */
  readonly download?: string | undefined
  readonly isBusy?: boolean
  readonly isDisabled?: boolean
  readonly onPress?: () => void
}

export function Button(props: ButtonProps): JSX.Element {
  const { children, look = "plain", icon, type = "button", href, isBusy = false } = props
  const content = (
    <>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </>
  )
  if (href !== undefined) {
    return (
      <a class={`button ${look}`} href={href} download={props.download}>
        {content}
      </a>
    )
  }
  return (
    <button
      class={`button ${look}`}
      type={type}
      disabled={props.isDisabled === true}
      aria-busy={isBusy}
      onClick={() => {
        if (!isBusy) props.onPress?.()
      }}
    >
      {content}
    </button>
  )
}
