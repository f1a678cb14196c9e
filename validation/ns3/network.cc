// One network in ns-3, for `validation/peers.py`: who moves how, who routes how, who sends what to whom, until when.
//
// The radio is that of ns-2's 914 MHz WaveLAN: two-ray ground, heard to 550 m, decoded to 250 m, 2 Mb/s, control frames
// at 1 Mb/s, RTS before everything, queues of 50 packets. Asks only the public interface of the ns-3 library.
//
//   network MOVEMENTS NODES ROUTING ROUTES FLOWS STOP
//
// MOVEMENTS is an ns-2 file; ROUTING is static, aodv, dsr, olsr or dsdv; a line of ROUTES is "node destination next"
// (static only); a line of FLOWS is "tcp from to start" or "udp from to start bits-per-second bytes". Prints frames put
// on the air, payload bytes received, and the process's peak memory.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "ns3/aodv-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/dsdv-module.h"
#include "ns3/dsr-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/olsr-module.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/wifi-module.h"

using namespace ns3;

static uint64_t g_frames = 0;

static void Launched(Ptr<const Packet>, double)
{
    ++g_frames;
}

static NetDeviceContainer Radios(const NodeContainer& nodes)
{
    Ptr<TwoRayGroundPropagationLossModel> loss = CreateObject<TwoRayGroundPropagationLossModel>();
    loss->SetAttribute("Frequency", DoubleValue(914e6));
    loss->SetAttribute("SystemLoss", DoubleValue(1.0));
    loss->SetAttribute("HeightAboveZ", DoubleValue(1.5));
    Ptr<YansWifiChannel> channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationLossModel(loss);
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());

    // 0.28183815 W; 1.559e-11 W is heard. ns-3 puts thresholds to 20 MHz, and DSSS is 22 MHz wide: 0.41 dB.
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.Set("TxPowerStart", DoubleValue(24.5));
    phy.Set("TxPowerEnd", DoubleValue(24.5));
    phy.Set("RxSensitivity", DoubleValue(-78.07 - 0.41));
    phy.Set("CcaEdThreshold", DoubleValue(-78.07));
    // 3.652e-10 W is decoded.
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", "MinimumRssi", DoubleValue(-64.37));

    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue("DsssRate2Mbps"),
                                 "ControlMode", StringValue("DsssRate1Mbps"),
                                 "NonUnicastMode", StringValue("DsssRate1Mbps"),
                                 "RtsCtsThreshold", UintegerValue(0),
                                 "MaxSsrc", UintegerValue(7),
                                 "MaxSlrc", UintegerValue(4));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phy/PhyTxBegin",
                                  MakeCallback(&Launched));
    return devices;
}

static void Stack(const NodeContainer& nodes, const std::string& routing)
{
    InternetStackHelper internet;
    if (routing == "static")
    {
        internet.SetRoutingHelper(Ipv4StaticRoutingHelper());
    }
    else if (routing == "aodv")
    {
        internet.SetRoutingHelper(AodvHelper());
    }
    else if (routing == "olsr")
    {
        internet.SetRoutingHelper(OlsrHelper());
    }
    else if (routing == "dsdv")
    {
        internet.SetRoutingHelper(DsdvHelper());
    }
    else if (routing != "dsr")
    {
        NS_FATAL_ERROR("no routing called " << routing);
    }
    internet.Install(nodes);
    if (routing == "dsr")
    {
        DsrHelper dsr;
        DsrMainHelper().Install(dsr, nodes);
    }
}

static void Routes(const NodeContainer& nodes, const Ipv4InterfaceContainer& interfaces, const std::string& file)
{
    std::ifstream lines(file);
    unsigned node;
    unsigned destination;
    unsigned next;
    while (lines >> node >> destination >> next)
    {
        Ptr<Ipv4StaticRouting> table = Ipv4StaticRoutingHelper().GetStaticRouting(nodes.Get(node)->GetObject<Ipv4>());
        table->AddHostRouteTo(interfaces.GetAddress(destination), interfaces.GetAddress(next), 1);
    }
}

static ApplicationContainer Flows(const NodeContainer& nodes,
                                  const Ipv4InterfaceContainer& interfaces,
                                  const std::string& file)
{
    ApplicationContainer sinks;
    std::ifstream lines(file);
    std::string line;
    uint16_t port = 1000;
    while (std::getline(lines, line))
    {
        std::istringstream words(line);
        std::string kind;
        unsigned from;
        unsigned to;
        double start;
        words >> kind >> from >> to >> start;
        const InetSocketAddress there(interfaces.GetAddress(to), ++port);
        const std::string sockets = kind == "tcp" ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
        ApplicationContainer source;
        if (kind == "tcp")
        {
            source = BulkSendHelper(sockets, there).Install(nodes.Get(from));
        }
        else
        {
            double rate;
            uint32_t bytes;
            words >> rate >> bytes;
            OnOffHelper datagrams(sockets, there);
            datagrams.SetConstantRate(DataRate(static_cast<uint64_t>(rate)), bytes);
            source = datagrams.Install(nodes.Get(from));
        }
        source.Start(Seconds(start));
        sinks.Add(PacketSinkHelper(sockets, InetSocketAddress(Ipv4Address::GetAny(), port)).Install(nodes.Get(to)));
    }
    return sinks;
}

int main(int argc, char** argv)
{
    if (argc != 7)
    {
        std::cerr << "usage: network MOVEMENTS NODES ROUTING ROUTES FLOWS STOP\n";
        return 2;
    }
    const std::string routing = argv[3];
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    // The window is limited at the sender: with a small RcvBufSize ns-3.37 ends in a segmentation fault.
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(64 * 1460));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize("50p")));

    NodeContainer nodes;
    nodes.Create(std::stoul(argv[2]));
    Ns2MobilityHelper(argv[1]).Install();
    const NetDeviceContainer devices = Radios(nodes);
    Stack(nodes, routing);
    Ipv4AddressHelper addresses("10.0.0.0", "255.0.0.0");
    const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices); // one queue, as ns-2 has it
    if (routing == "static")
    {
        Routes(nodes, interfaces, argv[4]);
    }
    const ApplicationContainer sinks = Flows(nodes, interfaces, argv[5]);

    Simulator::Stop(Seconds(std::stod(argv[6])));
    Simulator::Run();
    uint64_t bytes = 0;
    for (auto sink = sinks.Begin(); sink != sinks.End(); ++sink)
    {
        bytes += DynamicCast<PacketSink>(*sink)->GetTotalRx();
    }
    std::cout << "frames " << g_frames << "\nbytes " << bytes << "\n";
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line))
    {
        if (line.rfind("VmHWM:", 0) == 0)
        {
            std::cout << "peak_kb " << std::stoul(line.substr(6)) << "\n";
        }
    }
    std::cout.flush();
    std::_Exit(0); // what it costs to tear the network down is not asked, and ns-3.37's DSR aborts then
}
