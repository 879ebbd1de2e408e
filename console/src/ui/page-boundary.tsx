import { Component, type ReactNode } from 'react'
import { Failure } from './failure.tsx'

/** Keeps a fault of one page from taking the whole console down. */
export class PageBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    // A script that could not be loaded stays so until the page is loaded anew; that also finds a newer console.
    return <Failure error={this.state.error} onRetry={() => window.location.reload()} />
  }
}
