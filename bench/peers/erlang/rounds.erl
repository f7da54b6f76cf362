%% SPDX-License-Identifier: Apache-2.0

%% The bench's programs in Erlang: processes, and what the language gives them.
-module(rounds).

-export([main/0]).

-define(BATCH, 1000).
-define(SENDERS, 8).
-define(CHILDREN, 10).

main() ->
    say(io_lib:format("Erlang/OTP ~s, ~b schedulers", [
        erlang:system_info(otp_release), erlang:system_info(schedulers_online)
    ])),
    answer_orders(none, 0).

%% The driver's orders, a line each, until it hangs up: "case NAME SIZE" and "round OPERATIONS".
answer_orders(Program, Size) ->
    case io:get_line("") of
        eof ->
            halt(0);
        Line ->
            case string:lexemes(Line, " \n") of
                ["case", Name, Number] ->
                    Found = program(Name),
                    say(ready(Found, Name)),
                    answer_orders(Found, list_to_integer(Number));
                ["round", Number] ->
                    say(round(Program, Size, list_to_integer(Number))),
                    answer_orders(Program, Size);
                _ ->
                    say(["failed unknown order: ", string:trim(Line)]),
                    answer_orders(Program, Size)
            end
    end.

say(Line) -> io:put_chars([Line, "\n"]).

ready(none, Name) -> ["failed no program for ", Name];
ready(_, _) -> "ready".

round(Program, Size, Operations) ->
    try
        {Ran, {Wall, Cpu}, Counts} = Program(Size, Operations),
        [
            io_lib:format("sample\t~b\t~b\t~b", [Ran, Wall, Cpu])
            | [io_lib:format("\t~s=~p", [Name, Value]) || {Name, Value} <- Counts]
        ]
    catch
        Class:Cause -> io_lib:format("failed ~0p", [{Class, Cause}])
    end.

%% By the names of the cases. A program returns how many operations really ran, the wall time and
%% the CPU time of all threads for them in nanoseconds, and what else it counted.
program("process-pingpong") -> fun pairs/2;
program("process-pairs") -> fun pairs/2;
program("process-fanin") -> fun fan_in/2;
program("process-ring") -> fun ring/2;
program("process-spawn") -> fun batches/2;
program("skynet") -> fun skynet/2;
program("memory-process") -> fun memory/2;
program(_) -> none.

pairs(Size, Operations) ->
    Trips = max(1, Operations div Size),
    Parent = self(),
    Pings = [
        begin
            Pong = spawn_link(fun() -> pong(0) end),
            spawn_link(fun() -> ping(Parent, Pong, Trips) end)
        end
     || _ <- lists:seq(1, Size)
    ],
    Took = measured(fun() ->
        send_all(Pings, go),
        await(Size, done)
    end),
    Answered = add(Size, 0),
    check(answers, Answered, Size * Trips),
    {Answered, Took, []}.

ping(Parent, Pong, Trips) ->
    receive
        go -> ok
    end,
    play(Pong, Trips),
    Parent ! done,
    Pong ! {stop, Parent}.

play(_, 0) ->
    ok;
play(Pong, Trips) ->
    Pong ! {ball, self()},
    receive
        ball -> play(Pong, Trips - 1)
    end.

pong(Count) ->
    receive
        {ball, From} ->
            From ! ball,
            pong(Count + 1);
        {stop, Parent} ->
            Parent ! {count, Count}
    end.

%% The receiver's messages are outside its heap: the manual's advice for those that get many.
fan_in(Size, Operations) ->
    Together = ?SENDERS * Size,
    Bursts = max(1, Operations div Together),
    Parent = self(),
    Receiver = spawn_opt(
        fun() -> drain(Parent, Together, 0) end,
        [link, {message_queue_data, off_heap}]
    ),
    Senders = [spawn_link(fun() -> sender(Receiver, Size) end) || _ <- lists:seq(1, ?SENDERS)],
    Took = measured(fun() ->
        repeat(Bursts, fun() ->
            send_all(Senders, go),
            await(1, drained)
        end)
    end),
    send_all([Receiver | Senders], stop),
    Received = add(1, 0),
    check(received, Received, Bursts * Together),
    {Received, Took, []}.

sender(Receiver, Burst) ->
    receive
        go ->
            repeat(Burst, fun() -> Receiver ! item end),
            sender(Receiver, Burst);
        stop ->
            ok
    end.

drain(Parent, Together, Received) ->
    receive
        item when (Received + 1) rem Together =:= 0 ->
            Parent ! drained,
            drain(Parent, Together, Received + 1);
        item ->
            drain(Parent, Together, Received + 1);
        stop ->
            Parent ! {count, Received}
    end.

ring(Size, Operations) ->
    Laps = max(1, Operations div Size),
    Parent = self(),
    Members = [spawn_link(fun() -> member(Parent, Laps) end) || _ <- lists:seq(1, Size)],
    [First | Rest] = Members,
    lists:zipwith(fun(Own, Next) -> Own ! {next, Next} end, Members, Rest ++ [First]),
    {Hops, Took} = measuring(fun() ->
        First ! token,
        add(Size, 0)
    end),
    check(hops, Hops, Size * Laps),
    {Hops, Took, []}.

member(Parent, Laps) ->
    receive
        {next, Next} -> pass(Next, Laps)
    end,
    Parent ! {count, Laps}.

pass(_, 0) ->
    ok;
pass(Next, Laps) ->
    receive
        token -> Next ! token
    end,
    pass(Next, Laps - 1).

batches(_, Operations) ->
    Batches = max(1, Operations div ?BATCH),
    Parent = self(),
    {Greeted, Took} = measuring(fun() ->
        spawn_link(fun() -> Parent ! {count, greet(Batches, 0)} end),
        add(1, 0)
    end),
    check(greetings, Greeted, Batches * ?BATCH),
    {Greeted, Took, []}.

greet(0, Count) ->
    Count;
greet(Batches, Count) ->
    Self = self(),
    repeat(?BATCH, fun() -> spawn(fun() -> Self ! hello end) end),
    await(?BATCH, hello),
    greet(Batches - 1, Count + ?BATCH).

skynet(_, Operations) ->
    Leaves = leaves(1, Operations),
    Parent = self(),
    {Sum, Took} = measuring(fun() ->
        spawn_link(fun() -> node(Parent, 0, Leaves) end),
        add(1, 0)
    end),
    check(sum_of_the_leaves, Sum, Leaves * (Leaves - 1) div 2),
    {Leaves, Took, []}.

leaves(Leaves, Operations) when Leaves * ?CHILDREN =< Operations ->
    leaves(Leaves * ?CHILDREN, Operations);
leaves(Leaves, _) ->
    Leaves.

node(Parent, Number, 1) ->
    Parent ! {count, Number};
node(Parent, Number, Leaves) ->
    Self = self(),
    Each = Leaves div ?CHILDREN,
    [
        spawn(fun() -> node(Self, Number + I * Each, Each) end)
     || I <- lists:seq(0, ?CHILDREN - 1)
    ],
    Parent ! {count, add(?CHILDREN, 0)}.

%% What idle processes take of the runtime's memory.
memory(_, Operations) ->
    Before = erlang:memory(processes),
    Parent = self(),
    {Idle, Took} = measuring(fun() -> idlers(Operations, Parent, []) end),
    Each = (erlang:memory(processes) - Before) / Operations,
    send_all(Idle, stop),
    await(Operations, ended),
    {Operations, Took, [{"live-bytes", Each}]}.

idlers(0, _, Idle) ->
    Idle;
idlers(Left, Parent, Idle) ->
    Pid = spawn(fun() ->
        receive
            stop -> Parent ! ended
        end
    end),
    idlers(Left - 1, Parent, [Pid | Idle]).

measured(Work) ->
    {_, Took} = measuring(Work),
    Took.

measuring(Work) ->
    Cpu = cpu(),
    Began = erlang:monotonic_time(nanosecond),
    Result = Work(),
    Ended = erlang:monotonic_time(nanosecond),
    {Result, {Ended - Began, cpu() - Cpu}}.

%% CPU time of all threads so far. The runtime's own statistics tell milliseconds.
cpu() ->
    Threads = "/proc/self/task/",
    {ok, Names} = file:list_dir(Threads),
    lists:sum([on_processor(Threads ++ Name ++ "/schedstat") || Name <- Names]).

on_processor(File) ->
    {ok, Text} = file:read_file(File),
    [Nanos | _] = binary:split(Text, <<" ">>),
    binary_to_integer(Nanos).

send_all(Pids, Message) -> lists:foreach(fun(Pid) -> Pid ! Message end, Pids).

repeat(0, _) ->
    ok;
repeat(Times, Action) ->
    Action(),
    repeat(Times - 1, Action).

await(0, _) ->
    ok;
await(Left, Message) ->
    receive
        Message -> await(Left - 1, Message)
    end.

add(0, Sum) ->
    Sum;
add(Left, Sum) ->
    receive
        {count, Count} -> add(Left - 1, Sum + Count)
    end.

check(_, Wanted, Wanted) -> ok;
check(What, Found, Wanted) -> error({What, Found, should_be, Wanted}).
