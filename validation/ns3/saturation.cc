// Saturation throughput of ns-3's DCF with the OFDM rates, bit/s.
//
// Stations on a circle of 50 m around one receiver, each of which always has a datagram of 1460 bytes for it; no RTS.
// Every frame arrives with the same power, so that frames which overlap are lost: no preamble is seen that is not 4 dB
// above all else (ns-3's own threshold), nobody begins to receive, and all but the senders wait for DIFS afterwards, not
// for EIFS. Payload is counted from 2 s on.
// Asks only the public interface of the ns-3 library:
//
//   g++ -O2 -std=c++17 saturation.cc -o saturation $(pkg-config --cflags --libs ns3-wifi ns3-internet ns3-applications ns3-mobility ns3-network ns3-core)
//   ./saturation 802.11a|802.11g MBPS SLOT_US STATIONS SECONDS SEED

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

using namespace ns3;

namespace
{
const double warmUp = 2;
const uint32_t payload = 1460;
uint64_t received = 0;

void Received(Ptr<const Packet> packet, const Address&)
{
    if (Simulator::Now() >= Seconds(warmUp))
    {
        received += packet->GetSize();
    }
}
} // namespace

int main(int argc, char** argv)
{
    if (argc != 7)
    {
        std::cerr << "saturation 802.11a|802.11g MBPS SLOT_US STATIONS SECONDS SEED\n";
        return 2;
    }
    const std::string standard = argv[1];
    const int mbps = std::atoi(argv[2]);
    const int slot = std::atoi(argv[3]);
    const unsigned stations = std::atoi(argv[4]);
    const double seconds = std::atof(argv[5]);
    RngSeedManager::SetSeed(std::atoi(argv[6]));

    NodeContainer nodes;
    nodes.Create(stations + 1);
    Ptr<ListPositionAllocator> places = CreateObject<ListPositionAllocator>();
    places->Add(Vector(0, 0, 0));
    for (unsigned n = 0; n < stations; ++n)
    {
        const double angle = 2 * M_PI * n / stations;
        places->Add(Vector(50 * std::cos(angle), 50 * std::sin(angle), 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);

    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-40));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    const bool erp = standard == "802.11g";
    const std::string prefix = erp ? "ErpOfdmRate" : "OfdmRate";
    const int control = mbps >= 24 ? 24 : mbps >= 12 ? 12 : 6;
    WifiHelper wifi;
    wifi.SetStandard(erp ? WIFI_STANDARD_80211g : WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue(prefix + std::to_string(mbps) + "Mbps"),
                                 "ControlMode", StringValue(prefix + std::to_string(control) + "Mbps"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
    Config::Set("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phy/Slot", TimeValue(MicroSeconds(slot)));

    InternetStackHelper internet;
    internet.Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.0.0.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);

    const uint16_t port = 5001;
    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
    ApplicationContainer sinks = sink.Install(nodes.Get(0));
    sinks.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Received));
    // More than the whole rate from each.
    UdpClientHelper client(interfaces.GetAddress(0), port);
    client.SetAttribute("PacketSize", UintegerValue(payload));
    client.SetAttribute("MaxPackets", UintegerValue(4294967295u));
    client.SetAttribute("Interval", TimeValue(Seconds(payload * 8 / (mbps * 1e6))));
    for (unsigned n = 1; n <= stations; ++n)
    {
        ApplicationContainer one = client.Install(nodes.Get(n));
        one.Start(Seconds(0.1 + 0.01 * n));
    }

    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    Simulator::Destroy();
    std::cout << received * 8 / (seconds - warmUp) << '\n';
    return 0;
}
