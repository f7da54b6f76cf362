// SPDX-License-Identifier: Apache-2.0

/// Heddle's loop: stackful coroutines on one thread. Start at [dev.heddle.Heddle].
///
/// What is not exported here is not for users; the rooms are described in their `package-info`.
@org.jspecify.annotations.NullMarked
@SuppressWarnings(
    "module") // dev.heddle.cli, .netty, .process and .test are compiled after this one
module dev.heddle {
  requires static org.jspecify; // annotations only: who compiles against this module needs nothing
  requires java.management; // loops as MXBeans
  requires jdk.unsupported; // sun.misc.Signal, reflectively
  requires static jdk.jfr; // events, where it is there

  uses dev.heddle.io.dns.NameResolverProvider;
  uses dev.heddle.reactor.driver.DriverProvider;

  provides java.net.spi.InetAddressResolverProvider with
      dev.heddle.io.dns.LoopResolverProvider;

  exports dev.heddle;
  exports dev.heddle.coroutine;
  exports dev.heddle.event;
  exports dev.heddle.flow;
  exports dev.heddle.io;
  exports dev.heddle.observe;
  exports dev.heddle.reactor.driver to
      dev.heddle.netty,
      dev.heddle.test;
  exports dev.heddle.reactor.jdk to
      dev.heddle.netty;
  exports dev.heddle.reactor.linux to
      dev.heddle.netty;
  exports dev.heddle.os;
  exports dev.heddle.sync;
  exports dev.heddle.thread;

  // for a resolver of names that lives on a loop
  exports dev.heddle.io.dns to
      dev.heddle.netty,
      dev.heddle.test;

  // for another library's event loop on a loop, and for what drivers have to say: beside the loop
  exports dev.heddle.eventloop to
      dev.heddle.netty;
  exports dev.heddle.observe.log to
      dev.heddle.netty,
      dev.heddle.test;

  // for what runs beside loops, and belongs into a dump and to management tools
  exports dev.heddle.observe.jmx to
      dev.heddle.cluster,
      dev.heddle.process;
  exports dev.heddle.observe.spi to
      dev.heddle.cluster,
      dev.heddle.process;

  // for processes with a sequential body, which run on virtual threads of ours too
  exports dev.heddle.scheduler.context to
      dev.heddle.process,
      dev.heddle.test;

  // for simulations, which run a loop on parts of their own, and look at what it leaves behind
  exports dev.heddle.coroutine.tree to
      dev.heddle.test;
  exports dev.heddle.event.source to
      dev.heddle.test;
  exports dev.heddle.loop to
      dev.heddle.test;
  exports dev.heddle.reactor to
      dev.heddle.test;
  exports dev.heddle.scheduler to
      dev.heddle.test;

  // for runtimes and nodes that observers may look at, and for the observer itself
  exports dev.heddle.observe.attach to
      dev.heddle.cli,
      dev.heddle.cluster,
      dev.heddle.process;

  // for runtimes that record traces, and for the observer that writes them
  exports dev.heddle.observe.trace to
      dev.heddle.cli,
      dev.heddle.process;

  // for failures that commands of a body bring from other threads
  exports dev.heddle.failure to
      dev.heddle.process;

  // what several modules need and none owns
  exports dev.heddle.internal to
      dev.heddle.cluster,
      dev.heddle.netty,
      dev.heddle.process,
      dev.heddle.test;
}
