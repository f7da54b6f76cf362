// SPDX-License-Identifier: Apache-2.0

/// The web page of `heddle console`, and the server that hands it out on the loopback interface.
///
/// | enters | leaves |
/// |---|---|
/// | looks, from `look`; traces, from `trace`; requests, from a browser | a page, events, answers |
///
/// The page's files are in `src/main/console`. Every request passes `Gate` first.
///
/// Threads: requests on the loop of this command, looks on those of `Looker`. Read `Console`.
package dev.heddle.cli.console;
