// SPDX-License-Identifier: Apache-2.0

/// The web page of `heddle console`, and the server that hands it out on the loopback interface.
///
/// | enters | leaves |
/// |---|---|
/// | looks, from `look`; requests, from a browser of this user | a page, events and answers |
///
/// The page's files are in `src/main/console`. Every request passes `Gate` first.
///
/// Threads: requests on the loop of this command, looks on those of `Looker`. Read `Console`.
package dev.heddle.cli.console;
