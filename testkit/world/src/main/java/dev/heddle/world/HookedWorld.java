// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import java.net.InetAddress;
import java.net.SocketImpl;
import java.net.UnknownHostException;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// The bridge between the hook in `java.lang` and a [World], which java.base cannot name: passes
/// each question on.
final class HookedWorld extends HeddleWorld {
  private final World world;

  HookedWorld(World world) {
    this.world = world;
  }

  World world() {
    return world;
  }

  @Override
  protected long nanoTime() {
    return world.nanoTime();
  }

  @Override
  protected long epochNanos() {
    return world.epochNanos();
  }

  @Override
  protected Future<?> schedule(Runnable action, long delayNanos) {
    return new AlarmFuture(world.schedule(action, delayNanos));
  }

  @Override
  protected void onSpin() {
    world.onSpin();
  }

  @Override
  protected @Nullable Executor newScheduler() {
    return world.newScheduler();
  }

  @Override
  protected void onStart(Thread virtual) {
    world.onStart(virtual);
  }

  @Override
  protected boolean adopts(Thread platform) {
    return world.adopts(platform);
  }

  @Override
  protected void onAdopted(Thread platform, Thread body) {
    world.onAdopted(platform, body);
  }

  @Override
  protected void onEnd(Thread platform) {
    world.onEnd(platform);
  }

  @Override
  protected void onUncaught(Thread thread, Throwable failure) {
    world.onUncaught(thread, failure);
  }

  @Override
  protected long nextRandom(String use) {
    return world.nextRandom(use);
  }

  @Override
  protected long pauseAt(String where) {
    return world.pauseAt(where);
  }

  @Override
  protected RuntimeException refuse(String what) {
    return world.refuse(what);
  }

  @Override
  protected void onRealFile(String file) {
    world.onRealFile(file);
  }

  @Override
  protected int processors() {
    return world.processors();
  }

  @Override
  protected @Nullable SocketImpl newSocket() {
    return world.newSocket();
  }

  @Override
  protected @Nullable SocketImpl newServerSocket() {
    return world.newServerSocket();
  }

  @Override
  protected @Nullable SelectorProvider selectorProvider() {
    return world.selectorProvider();
  }

  @Override
  protected InetAddress[] addressesOf(String host) throws UnknownHostException {
    return world.addressesOf(host).toArray(new InetAddress[0]);
  }

  @Override
  protected String nameOf(InetAddress address) {
    return world.nameOf(address);
  }

  @Override
  protected InetAddress localHost() throws UnknownHostException {
    return world.localHost();
  }
}
