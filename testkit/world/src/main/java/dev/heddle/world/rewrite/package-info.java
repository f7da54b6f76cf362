// SPDX-License-Identifier: Apache-2.0

/// Rewrites classes so that they ask the hook in `java.lang` where they asked the JVM.
///
/// | enters | leaves |
/// |---|---|
/// | class files, from the JVM as it loads or retransforms them | class files with edits |
/// | the options of the agent | what could not be rewritten, by name |
///
/// Threads: any, in the middle of loading a class; nothing here may depend on the class being
/// loaded. Read `JdkEdits` and `Calls` first: they are the tables of everything that is changed.
package dev.heddle.world.rewrite;
